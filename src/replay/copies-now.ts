import { join } from 'node:path';
import type { FileStat, HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { namesIn } from '../hive/names-in.ts';
import { hasMailbox } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import type { MessageId } from '../protocol/ids.ts';
import { isEpochName } from '../spool/epoch.ts';
import { parseDeferredName } from '../spool/publish.ts';

/** Where the copy of a message for one recipient lies now. */
export interface CopyNow {
  agent: string;
  /** `inbox`: unhandled. `owed`: with the router, until that inbox can be written to. */
  place: 'inbox' | 'done' | 'held' | 'owed' | 'removed' | 'unknown';
}

/** Looks up where the copies of a message lie now. */
export function findCopies(
  { fs, layout }: { fs: HiveFs; layout: HiveLayout },
  { id, agents, about }: { id: MessageId; agents: readonly string[]; about: readonly LogRow[] },
): CopyNow[] {
  const reached = about.filter((row) => row.id === id).flatMap(placesOf);
  const all = new Set([...agents, ...reached].filter(hasMailbox));
  const owed = owedTo(fs, layout, id);
  return [...all].flatMap((agent): CopyNow[] => {
    const { inbox, done } = layout.agent(agent);
    const lies = (dir: string) => statIfAllowed(fs, join(dir, `${id}.json`)) !== undefined;
    if (lies(inbox)) return [{ agent, place: 'inbox' }];
    if (lies(done)) return [{ agent, place: 'done' }];
    if (lies(layout.heldFor(agent))) return [{ agent, place: 'held' }];
    if (owed.has(agent)) return [{ agent, place: 'owed' }];
    if (!reached.includes(agent)) return [];
    const removed = about.some(
      ({ kind, to, note }) => kind === 'handled' && note === 'removed' && to?.includes(agent),
    );
    return [{ agent, place: removed ? 'removed' : 'unknown' }];
  });
}

function placesOf({ delivered = [], held = [], owed = [] }: LogRow): string[] {
  return [...delivered, ...held, ...owed];
}

/** Looks what stands at a path; what may not be looked at is not there for us. */
export function statIfAllowed(fs: HiveFs, path: string): FileStat | undefined {
  try {
    return fs.stat(path);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

/** Looks into the router's own directories, of whatever start. */
function owedTo(fs: HiveFs, layout: HiveLayout, id: MessageId): Set<string> {
  const epochs = namesIn(fs, layout.router).filter(isEpochName);
  const names = epochs.flatMap((name) => namesIn(fs, join(layout.router, name, 'deferred')));
  const copies = names.map(parseDeferredName).filter((copy) => copy?.id === id);
  return new Set(copies.flatMap((copy) => (copy === undefined ? [] : [copy.to])));
}
