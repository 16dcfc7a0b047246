// needs: strace
/**
 * Power loss on a real ext4: the built router is killed at a rename or a sync, the image under its file
 * system is copied at once, and the router goes on in the copy. Needs root and loop devices.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runChild } from '../clients/child.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { HIVEMAIL, requireBuild } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { copyImage, type LoopImage, makeImage, unmount } from './loop-image.ts';

const LETTERS = [
  { from: 'planner', to: ['coder'], subject: 'one' },
  { from: 'tester', to: ['coder', 'god'], subject: 'two' },
  { from: 'planner', to: ['tester'], subject: 'three' },
];
const POINTS: [string, number][] = [
  ...[3, 5, 7, 9, 11, 13].map((count): [string, number] => ['rename', count]),
  ...[4, 7, 10, 13, 16, 19].map((count): [string, number] => ['fsync', count]),
];

/** Why this can't be tried here; nothing when it can. */
function whatLacks(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'not root on Linux';
  if (!existsSync('/dev/loop-control')) return 'no loop devices';
  try {
    for (const [file = '', ...args] of [
      ['strace', '-V'],
      ['mkfs.ext4', '-V'],
    ]) {
      execFileSync(file, args, { stdio: 'ignore' });
    }
    unmount(makeImage(tempDir(), 'try'));
    return undefined;
  } catch (error) {
    return String(error).split('\n')[0];
  }
}

/** Runs the built router until nothing moves, without git, killed at a call if one is given. */
async function up(hive: string, killAt?: [string, number]): Promise<boolean> {
  const [call, count] = killAt ?? [];
  const trace = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`];
  const strace = ['strace', ...trace, '-e', `inject=${call}:signal=KILL:when=${count}`];
  const program = [process.execPath, HIVEMAIL, 'up', hive, '--once', '--no-watch'];
  const [file = '', ...args] = killAt === undefined ? program : [...strace, ...program];
  const PATH = join(hive, 'no-programs');
  const env = { ...scrubbedEnvironment({ HOME: hive }), UV_THREADPOOL_SIZE: '1' };
  const found = file === 'strace' ? '/usr/bin/strace' : file;
  const options = { file: found, args, cwd: '/', env: { ...env, PATH }, timeLimitMs: 60_000 };
  const { exitCode } = await runChild(options);
  if (killAt === undefined && exitCode !== 0) throw new Error(`The router ends with ${exitCode}.`);
  return exitCode !== 0;
}

interface Found {
  agent: string;
  id: string;
  subject: string;
}

/** Every message in an inbox; each is whole, or parsing it throws. */
function inboxes(hive: string): Found[] {
  return readdirSync(join(hive, 'agents')).flatMap((agent) => {
    const inbox = join(hive, 'agents', agent, 'inbox');
    const names = readdirSync(inbox).filter((name) => name.endsWith('.json'));
    return names.map((name) => {
      const { id, subject } = JSON.parse(readFileSync(join(inbox, name), 'utf8')) as Found;
      return { agent, id, subject };
    });
  });
}

function check(hive: string, before: readonly Found[]): void {
  const after = inboxes(hive);
  const due = LETTERS.flatMap(({ to, subject }) => to.map((agent) => `${agent}: ${subject}`));
  expect(after.map(({ agent, subject }) => `${agent}: ${subject}`).sort()).toEqual(due.sort());
  for (const seen of before) expect(after).toContainEqual(seen);
  for (const { from, subject } of LETTERS) {
    const sent = join(hive, 'agents', from, 'outbox', '.sent');
    const texts = readdirSync(sent).map((name) => readFileSync(join(sent, name), 'utf8'));
    expect(texts.filter((text) => text.includes(`"${subject}"`))).toHaveLength(1);
  }
  const rows = readFileSync(join(hive, 'log.jsonl'), 'utf8').split('\n');
  expect(rows.filter((row) => row.includes('"kind":"letter"'))).toHaveLength(LETTERS.length);
}

async function makeHive(dir: string): Promise<LoopImage> {
  const image = makeImage(dir, 'base');
  const hive = join(image.mounted, 'hive');
  const args = [HIVEMAIL, 'init', hive, '--agents', 'god,planner,coder,tester'];
  const env = scrubbedEnvironment({ HOME: dir });
  await runChild({ file: process.execPath, args, cwd: dir, env, timeLimitMs: 60_000 });
  for (const [place, { from, to, subject }] of LETTERS.entries()) {
    const text = JSON.stringify({ to, act: 'request', subject, body: 'x' });
    writeFileSync(join(hive, 'agents', from, 'outbox', `l${place}.json`), text);
  }
  execFileSync('sync', ['-f', image.mounted]);
  return image;
}

describe('a power cut on ext4', () => {
  it('leaves each letter once, wherever the router is', async (context) => {
    const lack = whatLacks();
    if (lack !== undefined) {
      process.stdout.write(`NOT TRIED: power loss on ext4 (${lack})\n`);
      return context.skip(lack);
    }
    requireBuild();
    const dir = tempDir();
    const images: LoopImage[] = [];
    const keep = (image: LoopImage): LoopImage => {
      images.push(image);
      return image;
    };
    let killed = 0;
    try {
      const base = keep(await makeHive(dir));
      for (const [place, at] of POINTS.entries()) {
        const image = keep(copyImage(dir, base, `run-${place}`));
        killed += (await up(join(image.mounted, 'hive'), at)) ? 1 : 0;
        const seen = inboxes(join(image.mounted, 'hive'));
        const left = keep(copyImage(dir, image, `left-${place}`));
        await up(join(left.mounted, 'hive'));
        check(join(left.mounted, 'hive'), seen);
        for (const done of images.splice(1)) unmount(done);
      }
    } finally {
      for (const image of images.reverse()) unmount(image);
    }
    expect(killed).toBeGreaterThan(POINTS.length / 2);
  }, 600_000);
});
