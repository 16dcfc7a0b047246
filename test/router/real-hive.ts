import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { initHive } from '../../src/hive/init.ts';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** A hive in a real folder. */
export interface RealHive {
  dir: string;
  layout: HiveLayout;
  /** Writes a letter as agents are told to: under a temporary name, then renamed. */
  write(agent: string, name: string, letter: object): void;
  inbox(agent: string): Message[];
  rows(kind?: string): LogRow[];
}

/** Makes a hive with four agents. */
export async function makeRealHive(settings: object = {}): Promise<RealHive> {
  const dir = join(tempDir(), 'hive');
  const agents = ['god', 'planner', 'coder', 'tester'];
  await initHive({ dir, fs: createNodeFs(), agents, orchestrator: 'god' });
  const layout = layoutOf(dir);
  writeFileSync(layout.settings, JSON.stringify(settings));
  const at = (agent: string) => layout.agent(agent as AgentId);
  return {
    dir,
    layout,
    write(agent, name, letter) {
      const { outbox } = at(agent);
      mkdirSync(outbox, { recursive: true });
      writeFileSync(join(outbox, `.tmp-${name}`), JSON.stringify(letter));
      renameSync(join(outbox, `.tmp-${name}`), join(outbox, name));
    },
    inbox(agent) {
      const { inbox } = at(agent);
      const names = readdirSync(inbox).filter((name) => name.endsWith('.json'));
      return names.sort().map((name) => JSON.parse(readFileSync(join(inbox, name), 'utf8')));
    },
    rows(kind = 'letter') {
      const lines = readFileSync(layout.log, 'utf8').split('\n');
      const rows = lines.flatMap((line): LogRow[] => (line === '' ? [] : [JSON.parse(line)]));
      return rows.filter((row) => row.kind === kind);
    },
  };
}

/** Waits until something holds; the test's own time limit ends it when it never does. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}
