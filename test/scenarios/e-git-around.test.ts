// needs: git
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { hivemail, lettersIn, makePlace, type Place } from '../e2e/built.ts';
import { HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const LIMIT_MS = 120_000;
const LETTER = { to: 'coder', act: 'inform', subject: 'S', body: 'B' };

function git(dir: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: dir, GIT_CONFIG_GLOBAL: '/dev/null' };
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org'];
  return execFileSync('git', ['-C', dir, ...who, ...args], { encoding: 'utf8', env });
}

let written = 0;

async function routeOne(place: Place, env: NodeJS.ProcessEnv = {}): Promise<string> {
  written += 1;
  const outbox = join(place.hive, 'agents/planner/outbox');
  writeFileSync(join(outbox, `${written}.json`), JSON.stringify(LETTER));
  const up = await hivemail({ ...place, env: { ...place.env, ...env } }, [
    'up',
    place.hive,
    '--once',
  ]);
  expect(up.exitCode).toBe(0);
  return `${up.stdout}${up.stderr}`;
}

const recorded = ({ hive }: Place): number =>
  git(hive, 'ls-tree', '-r', '--name-only', 'main')
    .split('\n')
    .filter((name) => name.startsWith('messages/')).length;

describe('E3. A hive inside the user’s own repository', { timeout: LIMIT_MS }, () => {
  it('leaves `git add -A`, `git status` and `git commit` there working, and is in none of them', async () => {
    const dir = tempDir();
    git(dir, 'init', '-q');
    writeFileSync(join(dir, 'own.txt'), 'of the user');
    const place = await makePlace(dir, 'god,planner,coder');
    await routeOne(place);
    git(dir, 'add', '-A');
    git(dir, 'commit', '-q', '-m', 'own');
    await routeOne(place);
    expect(git(dir, 'status', '--porcelain')).toBe('');
    expect(git(dir, 'ls-files').split('\n')).not.toContainEqual(expect.stringContaining('hive'));
    expect(git(dir, 'log', '--format=%s')).toBe('own\n');
    expect(lettersIn(place, 'coder', 'inbox')).toHaveLength(2);
    expect(recorded(place)).toBe(2);
  });
});

describe('E3. The history', { timeout: LIMIT_MS }, () => {
  it('goes on where an agent makes repositories, ignores and attributes of its own', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    for (const name of ['.', 'outbox', 'outbox/.sent', 'inbox']) {
      const own = join(place.hive, 'agents/planner', name);
      git(own, 'init', '-q');
      writeFileSync(join(own, '.gitignore'), '*\n');
      writeFileSync(join(own, '.gitattributes'), '* text eol=crlf filter=evil\n');
    }
    await routeOne(place);
    expect(recorded(place)).toBe(1);
    const [{ id }] = lettersIn(place, 'coder', 'inbox') as [{ id: string }];
    const shown = git(place.hive, 'log', '-p', 'main');
    expect(shown).toContain(id);
    expect(shown).not.toContain('\r');
  });

  it('runs no foreign code and touches no foreign repository, whatever the surroundings name', async () => {
    const dir = tempDir();
    const place = await makePlace(dir, 'god,planner,coder');
    const canary = join(dir, 'canary');
    const evil = join(dir, 'evil');
    writeFileSync(evil, `#!/bin/sh\ntouch '${canary}'\nexit 1\n`);
    chmodSync(evil, 0o755);
    const hooks = join(dir, 'hooks');
    mkdirSync(hooks);
    for (const hook of [
      'reference-transaction',
      'pre-commit',
      'post-commit',
      'post-index-change',
      'pre-auto-gc',
    ]) {
      symlinkSync(evil, join(hooks, hook));
    }
    const other = join(dir, 'other');
    mkdirSync(other);
    git(other, 'init', '-q');
    const config = `[core]\nhooksPath=${hooks}\nfsmonitor=${evil}\nsshCommand=${evil}\neditor=${evil}\npager=${evil}\n[filter "evil"]\nclean=${evil}\nsmudge=${evil}\nrequired=true\n[gc]\nauto=1\n`;
    writeFileSync(join(dir, '.gitconfig'), config);
    await routeOne(place);
    writeFileSync(join(place.hive, '.git/config'), config, { flag: 'a' });
    mkdirSync(join(place.hive, '.git/info'), { recursive: true });
    writeFileSync(join(place.hive, '.git/info/attributes'), '* filter=evil\n');
    const inOther = (name: string): string => join(other, '.git', name);
    await routeOne(place, {
      GIT_DIR: join(other, '.git'),
      GIT_WORK_TREE: other,
      GIT_INDEX_FILE: inOther('index'),
      GIT_OBJECT_DIRECTORY: inOther('objects'),
      GIT_CONFIG_GLOBAL: join(dir, '.gitconfig'),
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'core.hooksPath',
      GIT_CONFIG_VALUE_0: hooks,
      GIT_EXEC_PATH: dir,
      GIT_SSH_COMMAND: evil,
      GIT_EXTERNAL_DIFF: evil,
      GIT_TRACE: join(dir, 'traced'),
      GIT_NAMESPACE: 'elsewhere',
    });
    expect(existsSync(canary)).toBe(false);
    expect(existsSync(join(dir, 'traced'))).toBe(false);
    expect(git(other, 'count-objects')).toMatch(/^0 objects/);
    expect(readdirSync(inOther('refs/heads'))).toEqual([]);
    writeFileSync(
      join(place.hive, '.git/config'),
      readFileSync(join(place.hive, '.git/config'), 'utf8').replace(config, ''),
    );
    expect(recorded(place)).toBe(2);
  });

  it('goes on over locks that a killed git has left', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    await routeOne(place);
    for (const name of [
      'index.lock',
      'HEAD.lock',
      'config.lock',
      'packed-refs.lock',
      'refs/heads/main.lock',
    ]) {
      writeFileSync(join(place.hive, '.git', name), '');
    }
    await routeOne(place);
    expect(recorded(place)).toBe(2);
  });

  it('waits for a git while mail flows, says so, and catches up once there is one', async () => {
    const place = await makePlace(tempDir(), 'god,planner,coder');
    const said = await routeOne(place, { PATH: '/nonexistent' });
    expect(said).toContain('1 batch is not in the history yet');
    expect(said).toContain('git was not found on PATH');
    expect(lettersIn(place, 'coder', 'inbox')).toHaveLength(1);
    expect(await routeOne(place)).not.toContain('not in the history');
    expect(recorded(place)).toBe(2);
  });
});

describe('E4. Twenty agents with a gigabyte of scratch each', { timeout: LIMIT_MS }, () => {
  it('leave the size of the history as it is', async () => {
    const agents = Array.from({ length: 20 }, (_, place) => `a${place}`);
    const bench = await openHiveBench({ agents, orchestrator: null });
    const sizeOfHistory = async (): Promise<number> => {
      await bench.send('a0', { ...LETTER, to: 'a1' });
      expect(await bench.recorded()).toBe(true);
      return sizeBelow(join(bench.dir, '.git'));
    };
    const [first, second] = [await sizeOfHistory(), await sizeOfHistory()];
    for (const agent of agents) {
      // Sparse: it has the size and takes no room.
      for (const name of ['scratch.bin', 'outbox/.scratch', 'inbox/.done/scratch']) {
        const file = join(bench.dir, 'agents', agent, name);
        writeFileSync(file, '');
        truncateSync(file, 2 ** 30);
      }
    }
    const third = await sizeOfHistory();
    expect(third - second).toBeLessThan(2 * (second - first));
    expect(bench.router.health.problems).toEqual([]);
  });
});

function sizeBelow(dir: string): number {
  const files = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).size, 0);
}

describe('E7. A umask of 000 at the start', { timeout: LIMIT_MS }, () => {
  it('leaves every file and directory of the hive to its owner alone', async () => {
    const before = process.umask(0);
    try {
      const dir = join(tempDir(), 'hive');
      await initHive({
        dir,
        fs: createNodeFs(),
        agents: ['god', 'planner', 'coder'],
        orchestrator: 'god',
      });
      const bench = new HiveBench(dir);
      await bench.open();
      await bench.send('planner', LETTER);
      bench.write('planner', '{"to":"god","act":"inform","body":"mended",}');
      bench.write('planner', { ...LETTER, to: 'nobody' });
      await bench.settle();
      expect(await bench.change({ op: 'add', agent: 'later', fields: {} })).toContain('later');
      expect(await bench.recorded()).toBe(true);
      expect(openToOthers(dir)).toEqual([]);
      await bench.close();
      expect(openToOthers(dir)).toEqual([]);
    } finally {
      process.umask(before);
    }
  });
});

/** Lists what others than the owner may get at; what the agents wrote is theirs. */
function openToOthers(dir: string): string[] {
  return [
    dir,
    ...readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => join(dir, name)),
  ].filter((path) => (lstatSync(path).mode & 0o077) !== 0 && !/outbox\/.*\.json$/.test(path));
}
