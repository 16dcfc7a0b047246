import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { History } from '../../src/history/history.ts';
import { StateWatch } from '../../src/history/state-watch.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import * as hives from './hive.ts';

const LONG = { timeoutMs: 30_000 };
const AGENTS = ['coder', 'tester'] as AgentId[];

/** A hive whose small files are there, and of whose agents there is more. */
function makeHive(): hives.TestHive {
  const hive = hives.makeHive();
  const { registry, tasks, board } = hive.layout;
  writeFileSync(registry, '{"godId":null,"agents":{}}\n');
  writeFileSync(tasks, '[]\n');
  writeFileSync(board, '# Board\n');
  for (const agent of AGENTS) {
    const { root, identity, memory, inbox } = hive.layout.agent(agent);
    mkdirSync(inbox, { recursive: true });
    writeFileSync(identity, `I am ${agent}.\n`);
    writeFileSync(memory, `${agent} knows nothing.\n`);
    writeFileSync(join(root, 'secret.md'), 'not yours');
    writeFileSync(join(inbox, 'memory.md'), 'not this one');
  }
  return hive;
}

const ALL = [
  'state/agents/coder/identity.md',
  'state/agents/coder/memory.md',
  'state/agents/tester/identity.md',
  'state/agents/tester/memory.md',
  'state/board.md',
  'state/registry.json',
  'state/tasks.json',
];

/** Looks at everything and records what changed. */
async function look(history: History, agents = AGENTS): Promise<void> {
  history.lookAtState(agents, 'all');
  await history.flush(LONG);
}

const memoryOf = (hive: hives.TestHive, agent = 'coder'): string =>
  hive.layout.agent(agent as AgentId).memory;

const recorded = (hive: hives.TestHive, path: string): string =>
  hives.git(hive.layout.root, 'show', `main:${path}`);

describe('the small files of a hive', () => {
  it('are recorded as they are, and nothing else of the hive is', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    await look(history);
    expect(hives.files(hive)).toEqual(ALL);
    for (const path of ALL) {
      const there = readFileSync(join(hive.layout.root, path.slice('state/'.length)), 'utf8');
      expect(recorded(hive, path)).toBe(there);
    }
    expect(hives.subjects(hive)).toEqual(['state: 7 files']);
    expect(history.state().lastRecordedAt).toBe('2026-11-30T17:19:11.123Z');
  });

  it('make a commit that names them for each change, and none without', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    await look(history);
    await look(history);
    await look(history);
    expect(hives.commitCount(hive)).toBe(1);
    writeFileSync(memoryOf(hive), 'coder knows more.\n');
    writeFileSync(hive.layout.board, '# Board\n- parser\n');
    await look(history);
    expect(hives.subjects(hive).at(-1)).toBe('state: board.md, agents/coder/memory.md');
    expect(recorded(hive, 'state/agents/coder/memory.md')).toBe('coder knows more.\n');
    expect(recorded(hive, 'state/agents/tester/memory.md')).toBe('tester knows nothing.\n');
    const { root } = hive.layout;
    const grepped = hives.git(root, 'log', '--format=%s', '--grep=State: state/board.md');
    const walked = hives.git(root, 'log', '--format=%s', '--', 'state/agents/coder/memory.md');
    expect(grepped.trim().split('\n')).toHaveLength(2);
    expect(walked.trim().split('\n')).toHaveLength(2);
  });

  it('are compared with what the history holds by a router that starts', async () => {
    const hive = makeHive();
    await look(await hives.open(hive));
    writeFileSync(memoryOf(hive), 'changed while none was up\n');
    await look(await hives.open(hive));
    await look(await hives.open(hive));
    expect(hives.subjects(hive)).toEqual(['state: 7 files', 'state: agents/coder/memory.md']);
  });

  it('stand beside the messages that were recorded with them', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    hives.enqueue(hive, hives.makeBatch(hive));
    await look(history);
    hives.enqueue(hive, hives.makeBatch(hive));
    await look(history);
    expect(hives.subjects(hive)).toHaveLength(3);
    expect(hives.files(hive)).toHaveLength(ALL.length + 2);
    expect(history.state()).toMatchObject({ ok: true, behind: 0 });
    expect(hives.tryGit(hive.layout.root, 'fsck', '--strict').status).toBe(0);
  });

  it('are gone from the branch when they are gone, and come back', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    await look(history);
    rmSync(memoryOf(hive));
    await look(history);
    expect(hives.subjects(hive).at(-1)).toBe('state: agents/coder/memory.md removed');
    expect(hives.files(hive)).toEqual(ALL.filter((path) => path !== ALL[1]));
    writeFileSync(memoryOf(hive), 'again');
    await look(history);
    expect(hives.files(hive)).toEqual(ALL);
  });

  it('of more than 256 kB are left out, said so once, and taken again when they are small', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    await look(history);
    writeFileSync(memoryOf(hive), 'x'.repeat(256 * 1024 + 1));
    await look(history);
    await look(history);
    expect(hive.reports).toEqual([
      { kind: 'state-skipped', sentence: expect.stringMatching(/coder\/memory\.md .* 256 kB/) },
    ]);
    expect(recorded(hive, 'state/agents/coder/memory.md')).toBe('coder knows nothing.\n');
    writeFileSync(memoryOf(hive), 'x'.repeat(256 * 1024));
    await look(history);
    expect(recorded(hive, 'state/agents/coder/memory.md')).toHaveLength(256 * 1024);
    writeFileSync(hive.layout.registry, ' '.repeat(300 * 1024));
    await look(history);
    expect(recorded(hive, 'state/registry.json')).toHaveLength(300 * 1024);
    expect(hive.reports).toHaveLength(1);
  });

  const swaps: [string, (hive: hives.TestHive, secret: string) => void][] = [
    [
      'a link in the place of memory.md',
      (hive, secret) => symlinkSync(join(secret, 'memory.md'), memoryOf(hive)),
    ],
    ['a pipe', (hive) => execFileSync('mkfifo', [memoryOf(hive)])],
    ['a directory', (hive) => mkdirSync(memoryOf(hive))],
    [
      'a link in the place of the agent',
      (hive, secret) => {
        const { root } = hive.layout.agent('coder' as AgentId);
        rmSync(root, { recursive: true });
        symlinkSync(secret, root);
      },
    ],
  ];
  for (const [what, swap] of swaps) {
    it(`are not followed to where ${what} leads`, async () => {
      const hive = makeHive();
      const history = await hives.open(hive);
      await look(history);
      const secret = tempDir();
      writeFileSync(join(secret, 'memory.md'), 'a secret');
      rmSync(memoryOf(hive));
      swap(hive, secret);
      await look(history);
      await look(history);
      expect(recorded(hive, 'state/agents/coder/memory.md')).toBe('coder knows nothing.\n');
      expect(hive.reports.length).toBeGreaterThan(0);
      expect(new Set(hive.reports.map(({ sentence }) => sentence)).size).toBe(hive.reports.length);
      expect(hive.reports[0]).toMatchObject({ kind: 'state-skipped' });
      expect(history.state().ok).toBe(true);
    });
  }

  it('that the machine refuses are tried again, and hold up nothing', async () => {
    const hive = makeHive();
    const history = await hives.open(hive);
    const { read } = hive.fs;
    let broken = true;
    hive.fs.read = (path, most, from) => {
      if (!broken || !path.endsWith('tasks.json')) return read(path, most, from);
      throw Object.assign(new Error('EIO: read'), { code: 'EIO' });
    };
    for (let turn = 0; turn < 3; turn++) await look(history);
    expect(hives.files(hive)).toEqual(ALL.filter((path) => path !== 'state/tasks.json'));
    broken = false;
    await look(history);
    expect(hives.files(hive)).toEqual(ALL);
    expect(hive.reports).toHaveLength(1);
  });

  it('wait for a git that fails, and are all recorded anew in a new repository', async () => {
    const hive = makeHive();
    const gitPath = join(tempDir(), 'git');
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const say = (line: string): void => {
      writeFileSync(gitPath, `#!/bin/sh\n${line}\nexec ${real} "$@"\n`);
      chmodSync(gitPath, 0o700);
    };
    say('case "$*" in *fast-import*) exit 1;; esac');
    const history = await hives.open(hive, { gitPath });
    await look(history);
    expect(history.state().ok).toBe(false);
    say('');
    await history.flush(LONG);
    expect(hives.files(hive)).toEqual(ALL);
    for (let turn = 0; turn < 3; turn++) await look(history);
    rmSync(hive.layout.git, { recursive: true });
    hives.enqueue(hive, hives.makeBatch(hive));
    await history.flush(LONG);
    for (let turn = 0; turn < 3; turn++) await look(history);
    expect(hives.files(hive)).toHaveLength(ALL.length + 1);
  });

  it('are recorded without anybody asking, soon after they changed', async () => {
    const hive = makeHive();
    const history = await hives.open(hive, { gather: { quietMs: 5, mostMs: 50 } });
    history.lookAtState(AGENTS, 'all');
    while (history.state().lastRecordedAt === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(hives.files(hive)).toEqual(ALL);
  });
});

describe('a look at what may have changed', () => {
  let nowMs = 0;
  const watchOf = ({ fs, layout }: hives.TestHive, now = Date.now): StateWatch =>
    new StateWatch({ fs, layout, clock: { now, monotonic: () => nowMs } });
  const lookAt = (watch: StateWatch, agents: AgentId[], ms: number): void => {
    nowMs = ms;
    watch.look(agents);
  };
  const lookFor = (watch: StateWatch, agents: AgentId[], fromMs: number, forMs: number): void => {
    for (let ms = fromMs; ms <= fromMs + forMs; ms += 500) lookAt(watch, agents, ms);
  };
  const taken = (watch: StateWatch): string[] => watch.take(9999).map(({ name }) => name);

  it('comes to each file within some seconds, and again only once it has changed', () => {
    const hive = makeHive();
    const watch = watchOf(hive);
    lookFor(watch, AGENTS, 0, 5000);
    expect(taken(watch)).toHaveLength(ALL.length);
    lookFor(watch, AGENTS, 5500, 5000);
    taken(watch);
    lookFor(watch, AGENTS, 11_000, 10_000);
    expect(taken(watch)).toEqual([]);
    writeFileSync(memoryOf(hive), 'new');
    lookFor(watch, AGENTS, 21_500, 5000);
    expect(taken(watch)).toEqual(['agents/coder/memory.md']);
  });

  it('gives a file out a second time, for what came within one tick of the clock', () => {
    const hive = makeHive();
    const watch = watchOf(hive);
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toContain('board.md');
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toContain('board.md');
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toEqual([]);
  });

  it('gives one out once whose last change is long past', () => {
    const hive = makeHive();
    const watch = watchOf(hive, () => Date.now() + 61_000);
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toHaveLength(ALL.length);
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toEqual([]);
    writeFileSync(memoryOf(hive), 'new');
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toEqual(['agents/coder/memory.md']);
  });

  it('leaves out a large file that is written all the time, but not at the end', () => {
    const hive = makeHive();
    const watch = watchOf(hive);
    let times = 0;
    for (let second = 0; second < 120; second++) {
      writeFileSync(memoryOf(hive), `${second}`.padEnd(256 * 1024));
      lookAt(watch, AGENTS, second * 1000);
      times += taken(watch).filter((name) => name === 'agents/coder/memory.md').length;
    }
    expect(times).toBe(2);
    writeFileSync(memoryOf(hive), 'last');
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toContain('agents/coder/memory.md');
  });

  it('costs the same few looks a second for a thousand agents, and comes to all of them', () => {
    const hive = makeHive();
    let looks = 0;
    const { stat } = hive.fs;
    hive.fs.stat = (path) => {
      looks++;
      return stat(path);
    };
    const many = Array.from({ length: 1000 }, (_, n) => `a${n}` as AgentId);
    const watch = watchOf(hive);
    lookAt(watch, many, 0);
    for (let ms = 1500; ms <= 27_000; ms += 1500) {
      looks = 0;
      lookAt(watch, many, ms);
      expect(looks).toBeLessThanOrEqual(2 * 61 + 3);
    }
    expect(watch.waiting).toBe(2003);
  });

  it('takes an agent that is renamed away and back for what it is then', () => {
    const hive = makeHive();
    const watch = watchOf(hive);
    const { root } = hive.layout.agent('coder' as AgentId);
    for (let turn = 0; turn < 2; turn++) watch.lookAtAll(AGENTS);
    taken(watch);
    renameSync(root, `${root}.away`);
    watch.lookAtAll(AGENTS);
    expect(taken(watch)).toEqual(['agents/coder/identity.md', 'agents/coder/memory.md']);
  });
});
