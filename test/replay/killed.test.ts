import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { replayInto } from '../../src/replay/replay-into.ts';
import { removeTree, tempDir } from '../helpers/temp-dir.ts';
import { readDirectoryState } from './directory-state.ts';
import { makePastHive, type PastHive } from './past-hive.ts';

const PROGRAM = fileURLToPath(new URL('killed-router.ts', import.meta.url));
const AGENTS = ['god', 'planner', 'coder', 'tester'];
/** How long the hive is killed again and again; a longer run finds rarer moments. */
const FOR_MS = Number(process.env['HIVEMAIL_KILL_MINUTES'] ?? 0) * 60_000;
const LEAST_KILLS = 3;

const pick = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
};

async function startToKill(dir: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

/** Writes some letters, and handles or removes some of those that have arrived. */
function live(hive: PastHive, round: number): void {
  for (let letter = 0; letter < 10; letter++) {
    const to = pick([...AGENTS, 'all', 'human', 'nobody']);
    const name = `${round}-${letter}-${Math.random()}.json`;
    hive.write(pick(AGENTS), name, { to, act: pick(['inform', 'query']), body: 'x' });
  }
  for (const agent of AGENTS) {
    const got = hive.inbox(agent);
    if (got.length === 0) continue;
    const { id } = pick(got);
    if (Math.random() < 0.7) hive.handle(agent, id);
    else unlinkSync(join(hive.layout.agent(agent as AgentId).inbox, `${id}.json`));
  }
}

it('a hive killed at random moments is rebuilt as its directory shows it', {
  timeout: 180_000 + 2 * FOR_MS,
}, async () => {
  const hive = await makePastHive({ loops: { broadcasts: 1_000_000 } });
  const until = systemClock.monotonic() + FOR_MS;
  let [kills, rebuilt] = [0, 0];
  for (; kills < LEAST_KILLS || systemClock.monotonic() < until; kills++) {
    const child = await startToKill(hive.dir);
    const ended = once(child, 'exit');
    const rounds = 1 + Math.floor(Math.random() * 8);
    for (let round = 0; round < rounds; round++) {
      live(hive, round);
      await pause(Math.random() * 120);
    }
    child.kill('SIGKILL');
    await ended;
    if (kills % 5 > 0 && kills >= LEAST_KILLS) continue;
    await hive.route();
    const into = join(tempDir(), 'past');
    const now = new Date(systemClock.now() + 1).toISOString();
    const { missing } = await replayInto(hive.options, { into, until: now });
    expect(readDirectoryState(into)).toEqual(readDirectoryState(hive.dir));
    expect(missing.join(' ')).not.toContain('left out');
    removeTree(into);
    rebuilt += 1;
  }
  const letters = hive.rows('letter').length;
  if (FOR_MS > 0)
    process.stdout.write(`${kills} kills, ${letters} letters, ${rebuilt} hives rebuilt\n`);
  expect(Object.keys(readDirectoryState(hive.dir)).length).toBeGreaterThan(0);
});
