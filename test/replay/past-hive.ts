/** A hive in a real folder whose router runs only when told, for tests of looking back. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { type Hive, openHive, runOnce, systemClock } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { PastOptions } from '../../src/replay/past.ts';
import { makeRealHive, type RealHive } from '../router/real-hive.ts';

/** A hive with a past. */
export interface PastHive extends RealHive {
  hive: Hive;
  options: PastOptions;
  /** Writes a letter, routes it, and returns the row of its outcome. */
  send(from: string, letter: object): Promise<LogRow & { id: string }>;
  /** Runs a router once: what is there is routed, what was handled is seen. */
  route(): Promise<void>;
  /** Moves a letter to `.done`, as its recipient. */
  handle(agent: string, id: string): void;
}

/** Makes a hive with the agents god (orchestrator), planner, coder and tester. */
export async function makePastHive(settings: object = {}): Promise<PastHive> {
  const real = await makeRealHive({ settle: { openMs: 50, closedMs: 50 }, ...settings });
  const { dir, layout } = real;
  const route = async () => {
    const { recorded, left } = await runOnce({ dir, clock: systemClock });
    if (!recorded || left.length > 0) throw new Error(`Something is left: ${left.join(' ')}`);
  };
  let letters = 0;
  return {
    ...real,
    hive: openHive(dir),
    options: { fs: createNodeFs(), layout },
    route,
    async send(from, letter) {
      const file = `${letters++}.json`;
      real.write(from, file, letter);
      await route();
      const row = real.rows().findLast((each) => each.file === file);
      if (row?.id === undefined) throw new Error(`The letter ${file} has no row.`);
      return { ...row, id: row.id };
    },
    handle(agent, id) {
      const { inbox, done } = layout.agent(agent as AgentId);
      renameSync(join(inbox, `${id}.json`), join(done, `${id}.json`));
    },
  };
}
