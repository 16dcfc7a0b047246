/**
 * What age costs: a hive with 100 000 archived letters, a log of 100 MB and 100 000 messages in git,
 * against one that is empty, each figure of both in turn. `HIVEMAIL_BENCH_LETTERS` makes it smaller.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layoutOf } from '../src/hive/layout.ts';
import { systemClock } from '../src/hive/system-clock.ts';
import { openHive } from '../src/index.ts';
import type { AgentId } from '../src/protocol/addresses.ts';
import { type OpenRouter, openRouter } from '../src/router/open-router.ts';
import { runPass } from '../src/router/pass.ts';
import { ageHive } from './aged-hive.ts';
import { compareTraces, nameSegments, sendOne, type Traced } from './aged-trace.ts';
import { letterText, makeHive, quantile, report, round, withTempDir } from './measure.ts';

const LETTERS = Number(process.env['HIVEMAIL_BENCH_LETTERS'] ?? 100_000);
const AGENTS = 10;
const BATCH = 10;
const LOG_BYTES = LETTERS * 1000;
const ROUNDS = 40;
const FEW = 10;
const MIB = 1024 * 1024;
const LAUNCHER = join(import.meta.dirname, '../dist/cli/hivemail.cjs');
const EVENT = JSON.stringify({ session_id: 'bench', cwd: '/', hook_event_name: 'PostToolUse' });

await withTempDir(async (base) => {
  const began = performance.now();
  const old = await makeHive(join(base, 'old'), AGENTS);
  const young = await makeHive(join(base, 'young'), AGENTS);
  const { ids, messageBytes } = await ageHive(old, {
    ...{ letters: LETTERS, batch: BATCH, logBytes: LOG_BYTES, agents: AGENTS },
  });
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`A hive with ${LETTERS} letters was made in ${seconds} s.`);
  reportHistory(old, messageBytes);
  await reportPasses(old, young);
  const hives = { old, young };
  const timed = (work: (hive: string) => void) => async (hive: string) => work(hive);
  await compare(
    'status',
    timed((hive) => void openHive(hive).status()),
    hives,
  );
  await compare(
    'inbox',
    timed((hive) => void openHive(hive).inbox('a0' as AgentId)),
    hives,
  );
  await compare('hook, process and all', timed(hook), hives, FEW);
  await nameSegments(old);
  const at = (place: number): Traced => ({ hive: old, id: ids.at(place) ?? '' });
  await compareTraces({ newest: at(-1), oldest: at(0), only: await sendOne(young) }, ROUNDS);
});

/** Prints the size of the history, before and after the small packs are joined. */
function reportHistory(hive: string, messageBytes: number): void {
  const { git } = layoutOf(hive);
  const before = sizeOf(git);
  execFileSync('git', ['--git-dir', git, 'repack', '-q', '-d', '--geometric=2']);
  const each = round(messageBytes / LETTERS);
  const share = (bytes: number): string => `${Math.round(bytes / LETTERS)} bytes`;
  report(
    `history, ${LETTERS} messages of ${each} bytes, ${BATCH} a batch`,
    `${share(sizeOf(git))} each`,
    `${share(before)} before the repack`,
    '<= 1500 bytes',
  );
}

/** Passes with ten letters, and with none; the commit of each batch apart from it. */
async function reportPasses(old: string, young: string): Promise<void> {
  await using oldRouter = await openRouter({ dir: old, clock: systemClock });
  await using youngRouter = await openRouter({ dir: young, clock: systemClock });
  const times = { old: timesOf(), young: timesOf() };
  let serial = 0;
  for (let turn = 0; turn < ROUNDS; turn++) {
    const both = [
      [oldRouter, times.old],
      [youngRouter, times.young],
    ] as const;
    for (const [router, into] of turn % 2 === 0 ? both : both.toReversed()) {
      into.idle.push(await took(() => pass(router)));
      for (let count = 0; count < BATCH; count++) writeLetter(router, serial++);
      into.pass.push(await took(() => pass(router)));
      into.commit.push(await took(async () => void (await router.history.flush())));
    }
  }
  tell('pass, nothing to do', times.old.idle, times.young.idle, '<= 1.2 x');
  tell(`pass, ${BATCH} letters`, times.old.pass, times.young.pass, '<= 1.2 x');
  tell(`commit of a batch of ${BATCH}`, times.old.commit, times.young.commit, 'p50 <= 50 ms');
  const rss = round(process.memoryUsage().rss / MIB);
  report('memory of this process, both routers', `${rss} MiB`, 'made the hive as well', '-');
}

function timesOf(): Record<'idle' | 'pass' | 'commit', number[]> {
  return { idle: [], pass: [], commit: [] };
}

async function pass({ router }: OpenRouter): Promise<void> {
  await runPass(router, { takeIn: true });
}

function writeLetter({ router }: OpenRouter, serial: number): void {
  const { outbox } = router.layout.agent(`a${serial % AGENTS}` as AgentId);
  writeFileSync(
    join(outbox, `new-${serial}.json`),
    letterText(`a${(serial + 1) % AGENTS}`, serial),
  );
}

async function took(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Times something in both hives, in turns. */
async function compare(
  what: string,
  work: (hive: string) => Promise<void>,
  { old, young }: { old: string; young: string },
  rounds = ROUNDS,
): Promise<void> {
  const [aged, empty]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < rounds; turn++) {
    aged.push(await took(() => work(old)));
    empty.push(await took(() => work(young)));
  }
  tell(what, aged, empty, '<= 1.2 x');
}

function tell(what: string, aged: number[], empty: number[], reach: string): void {
  const [old, young] = [quantile(aged, 0.5), quantile(empty, 0.5)];
  report(what, `p50 ${round(old)} ms`, `${round(old / young)} x empty (${round(young)} ms)`, reach);
}

function hook(hive: string): void {
  run(['hook', 'claude', 'PostToolUse', '--hive', hive, '--agent', 'a0'], [0]);
}

function run(args: readonly string[], exits: readonly (number | null)[]): void {
  const { status, signal, stderr, error } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    input: EVENT,
    encoding: 'utf8',
    maxBuffer: 64 * MIB,
  });
  if (exits.includes(status)) return;
  throw new Error(`${args[0]} ended with ${status ?? signal}: ${stderr}`, { cause: error });
}

/** Bytes of all files in a directory. */
function sizeOf(dir: string): number {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
