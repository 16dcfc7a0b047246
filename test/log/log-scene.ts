import { EventLog } from '../../src/log/event-log.ts';
import type { HiveEvent, LogRow } from '../../src/protocol/event.ts';
import { createFaultyFs, type FaultyFs } from '../helpers/faulty-fs.ts';
import { createMemoryFs, type MemoryFs } from '../helpers/memory-fs.ts';

export const LOG = '/hive/log.jsonl';
export const SEGMENTS = '/hive/log';
export const NOON = Date.parse('2026-11-30T12:00:00.000Z');

/** A log in memory, which can be opened any number of times. */
export interface LogScene {
  files: MemoryFs;
  fs: FaultyFs;
  time: { now: number };
  open(epoch?: number, requireOwn?: () => void): EventLog;
  /** The lines of the file as they are. */
  lines(): string[];
  /** The rows of the file, torn lines left out. */
  rows(): LogRow[];
}

export function makeLog(): LogScene {
  const files = createMemoryFs();
  files.mkdir('/hive');
  const fs = createFaultyFs(files);
  const time = { now: NOON };
  const clock = { now: () => time.now, monotonic: () => 0 };
  const lines = () => (files.text(LOG) ?? '').split('\n').filter((line) => line !== '');
  const rows = () =>
    lines().flatMap((line): LogRow[] => {
      try {
        return [JSON.parse(line)];
      } catch {
        return [];
      }
    });
  const open = (epoch = 1, requireOwn = () => {}) =>
    new EventLog({ fs, path: LOG, segments: SEGMENTS, clock, epoch, requireOwn });
  return { files, fs, time, open, lines, rows };
}

/** A row of a letter, as a batch has it. */
export function event(id: string, changes: Partial<HiveEvent> = {}): HiveEvent {
  return { kind: 'letter', id, batch: 'batch-1', to: ['coder'], ...changes };
}
