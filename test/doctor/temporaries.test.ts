import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeScene, type Scene } from './scene.ts';

const DAY_S = 24 * 3600;

/** The newest file is of the second `at`, whatever the machine's clock says. */
function leave(scene: Scene, path: string, ageS: number): string {
  const at = scene.write(path, 'x');
  const newestS = 4_000_000_000;
  utimesSync(join(scene.dir, 'board.md'), newestS, newestS);
  utimesSync(at, newestS - ageS, newestS - ageS);
  return at;
}

describe('temporary files of killed writers', () => {
  it('are removed from the router’s places when they are older than a day beside the newest file', async () => {
    const scene = await makeScene();
    const old = ['.tmp-abcdefgh', '.router/.tmp-0123abcd', '.router/control/.tmp-abcd0123'].map(
      (path) => leave(scene, path, DAY_S + 1),
    );
    const kept = [
      leave(scene, '.tmp-aaaaaaaa', DAY_S - 1),
      leave(scene, '.tmp-mine', DAY_S * 9),
      leave(scene, '.tmp-ABCDEFGH.json', DAY_S * 9),
      leave(scene, 'held/coder/.tmp-abcdefgh', DAY_S * 9),
      leave(scene, 'agents/coder/inbox/.tmp-abcdefgh', DAY_S * 9),
    ];
    expect(await scene.look('temporaries')).toMatchObject([
      {
        level: 'note',
        what: 'Left by a writer that was killed: .tmp-abcdefgh, .router/.tmp-0123abcd, .router/control/.tmp-abcd0123.',
      },
    ]);
    expect(await scene.fix('temporaries')).toMatchObject([{ done: true }]);
    expect(old.filter((path) => existsSync(path))).toEqual([]);
    expect(kept.filter((path) => !existsSync(path))).toEqual([]);
  });

  it('are never removed from an outbox, where they may be a letter', async () => {
    const scene = await makeScene();
    const path = leave(scene, 'agents/coder/outbox/.tmp-abcdefgh', DAY_S * 9);
    leave(scene, 'agents/god/outbox/.tmp-1.json', 60);
    const findings = await scene.look('temporaries');
    expect(findings).toMatchObject([
      {
        level: 'note',
        what: 'Temporary files in an outbox, older than a day: agents/coder/outbox/.tmp-abcdefgh.',
      },
    ]);
    expect(findings[0]?.fix).toBeUndefined();
    await scene.fix('temporaries');
    expect(existsSync(path)).toBe(true);
  });

  it('are no worry while they are new, however far the clock is ahead', async () => {
    const scene = await makeScene();
    leave(scene, '.tmp-abcdefgh', 60);
    const clock = { now: () => Date.UTC(2300, 0), monotonic: () => 0 };
    expect(await scene.look('temporaries', { clock })).toMatchObject([{ level: 'ok' }]);
  });
});
