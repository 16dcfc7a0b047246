// needs: git
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeAgentDirectory } from '../../src/hive/agent-directory.ts';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { initHive } from '../../src/hive/init.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { runPass } from '../../src/router/pass.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const SECRET = 'the word of another place';
const SETTINGS = {
  settle: { openMs: 0, closedMs: 0, strayMs: 0, temporaryMs: 0 },
  owed: { retryFirstMs: 0 },
};
/** Directories of planner, and where in the other place a link from it leads. */
const SWAPPED = [
  ['.', '.'],
  ['outbox', 'outbox'],
  ['outbox/.sent', 'outbox/.sent'],
  ['inbox', 'inbox'],
] as const;

/** Told of an operation; returns what to do after it. */
type Before = (what: string) => (() => void) | undefined;

/** Puts a hook before each operation that touches what planner owns. */
function hook(fs: HiveFs, before: Before): void {
  const touches = (path: unknown): boolean =>
    typeof path === 'string' && /agents\/planner|\/fd\/\d+/.test(path);
  const wrap =
    (name: string, act: (...args: never[]) => unknown) =>
    (...args: never[]): unknown => {
      if (!args.some(touches)) return act(...args);
      const after = before(`${name} ${args.filter(touches).join(' ')}`);
      try {
        return act(...args);
      } finally {
        after?.();
      }
    };
  for (const [name, act] of Object.entries(fs)) Object.assign(fs, { [name]: wrap(name, act) });
}

/** Everything below a directory: names and bytes. */
function contentOf(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const at = join(entry.parentPath, entry.name);
      return `${at} ${entry.isFile() ? readFileSync(at, 'latin1') : ''}`;
    })
    .sort();
}

/** A place outside the hive that looks like the directory of an agent. */
function makeElsewhere(bench: HiveBench): string {
  const elsewhere = join(bench.dir, '..', 'elsewhere');
  for (const dir of ['outbox/.sent', 'inbox/.done']) {
    mkdirSync(join(elsewhere, dir), { recursive: true });
  }
  for (const dir of ['.', 'outbox']) {
    const letter = { to: 'coder', act: 'inform', subject: 'S', body: SECRET };
    writeFileSync(join(elsewhere, dir, 'x.json'), JSON.stringify(letter));
    writeFileSync(join(elsewhere, dir, 'another-place.txt'), SECRET);
  }
  return elsewhere;
}

/** Where the hook looks what to do. */
interface Hooks {
  before: Before;
}

interface Race {
  bench: HiveBench;
  hooks: Hooks;
  /** The directory of planner that is swapped, and what the link leads to. */
  at: string;
  target: string;
}

/**
 * Sends a letter from planner and one to it, and swaps the directory for a link right before one of the
 * router's operations; it stays swapped for that one operation, or for the rest of the pass.
 * @returns whether there was such an operation
 */
async function race(
  { bench, hooks, at, target }: Race,
  moment: number,
  lasting: boolean,
): Promise<string | undefined> {
  const away = join(bench.dir, '..', 'away');
  bench.write('planner', { to: 'coder', act: 'inform', subject: `${moment}` }, 'x.json');
  bench.write('god', { to: 'planner', act: 'inform', subject: `${moment}` });
  let count = 0;
  let hit: string | undefined;
  const swapBack = (): void => {
    rmSync(at);
    renameSync(away, at);
  };
  hooks.before = (what) => {
    count += 1;
    if (count !== moment) return undefined;
    hit = what;
    renameSync(at, away);
    symlinkSync(target, at);
    return lasting ? undefined : swapBack;
  };
  await runPass(bench.router, { takeIn: true });
  hooks.before = () => undefined;
  if (hit !== undefined && lasting) swapBack();
  return hit;
}

/** Swaps a directory for a link right before one operation on it; it stays so until the hook is gone. */
function swapAt(
  moment: number,
  hooks: Hooks,
  { at, target }: { at: string; target: string },
): { hit: () => boolean; undo(): void } {
  const away = `${at}.away`;
  let count = 0;
  hooks.before = () => {
    count += 1;
    if (count === moment) {
      renameSync(at, away);
      symlinkSync(target, at);
    }
    return undefined;
  };
  const hit = (): boolean => count >= moment;
  const undo = (): void => {
    hooks.before = () => undefined;
    if (!hit()) return;
    rmSync(at);
    renameSync(away, at);
  };
  return { hit, undo };
}

describe.runIf(process.platform === 'linux')('E1. A directory swapped for a link', () => {
  it.each(['.', 'outbox', 'inbox'])(
    '(%s) while it is made whole has nothing made elsewhere',
    async (name) => {
      const [dir, target] = [join(tempDir(), 'hive'), tempDir()];
      const [fs, planner] = [createNodeFs(), 'planner' as AgentId];
      await initHive({ dir, fs, agents: ['planner'], orchestrator: undefined });
      const layout = layoutOf(dir);
      const { root, identity, sent, done } = layout.agent(planner);
      const hooks: Hooks = { before: () => undefined };
      hook(fs, (what) => hooks.before(what));
      let moment = 1;
      for (let hit = true; hit; moment++) {
        for (const path of [identity, sent, done]) rmSync(path, { recursive: true, force: true });
        const swap = swapAt(moment, hooks, { at: join(root, name), target });
        await makeAgentDirectory(fs, layout, planner, {}).catch(() => undefined);
        hit = swap.hit();
        swap.undo();
        expect(readdirSync(target)).toEqual([]);
      }
      expect(moment).toBeGreaterThan(8);
      for (const path of [identity, sent, done]) expect(existsSync(path)).toBe(true);
    },
  );

  describe.each(SWAPPED)('(%s)', (name, into) => {
    it.each([
      ['for one operation', false],
      ['for the rest of the pass', true],
    ])('%s, at any moment of it, is never reached through', async (_, lasting) => {
      const bench = await openHiveBench({ settings: SETTINGS });
      await bench.run();
      const elsewhere = makeElsewhere(bench);
      const before = contentOf(elsewhere);
      const at = join(layoutOf(bench.dir).agents, 'planner', name);
      const target = join(elsewhere, into);
      const hooks: Hooks = { before: () => undefined };
      hook(bench.fs, (what) => hooks.before(what));
      let moment = 1;
      for (; moment < 200; moment++) {
        const hit = await race({ bench, hooks, at, target }, moment, lasting);
        expect([hit, ...contentOf(elsewhere)]).toEqual([hit, ...before]);
        bench.wait(61_000);
        await bench.settle();
        expect([
          hit,
          ...bench.takeAll('coder').map(({ subject, from }) => [subject, from]),
        ]).toEqual([hit, [`${moment}`, 'planner']]);
        expect([hit, ...bench.takeAll('planner').map(({ subject }) => subject)]).toEqual([
          hit,
          `${moment}`,
        ]);
        if (hit === undefined) break;
      }
      expect(moment).toBeGreaterThan(8);
      expect(moment).toBeLessThan(200);
      expect(await bench.recorded()).toBe(true);
      const copy = join(bench.dir, '..', 'copy');
      cpSync(bench.dir, copy, { recursive: true });
      const all = contentOf(copy).join('\n');
      expect(all).not.toContain(SECRET);
      expect(all).not.toContain('another-place');
      expect(bench.router.health.problems).toEqual([]);
    });
  });
});
