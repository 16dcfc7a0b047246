import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { watchDirectories } from '../../src/router/watch.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { until } from './real-hive.ts';

/** A watch that has been seen to stand, which nothing tells. */
async function watchDir() {
  const dir = tempDir();
  mkdirSync(join(dir, '.sent'));
  let events = 0;
  const watch = watchDirectories(
    () => {
      events += 1;
    },
    (error) => {
      throw error;
    },
  );
  watch.update([dir]);
  for (let n = 0; events === 0; n++) {
    writeFileSync(join(dir, `${n}.json`), '');
    await pause(20);
  }
  await pause(50);
  return { dir, watch, events: () => events };
}

/** chokidar holds a timer of one second after a listing, also once it is closed. */
const CHOKIDAR_TIMER_MS = 1000;

/** Closes a watch and lets its library's timer run out, which is nothing that we have left open. */
function closing(watch: AsyncDisposable): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await watch[Symbol.asyncDispose]();
      await pause(CHOKIDAR_TIMER_MS);
    },
  };
}

it('tells of a letter, and of none that is still under a name with a dot', async () => {
  const { dir, watch, events } = await watchDir();
  await using _ = closing(watch);
  const before = events();
  writeFileSync(join(dir, '.tmp-1'), 'x');
  writeFileSync(join(dir, '.sent', 'old.json'), 'x');
  await pause(100);
  expect(events()).toBe(before);
  renameSync(join(dir, '.tmp-1'), join(dir, 'letter.json'));
  await until(() => events() > before);
});

it('lists no directory, whatever changes in it', async () => {
  const { readdir } = fsPromises;
  const restore = () => {
    fsPromises.readdir = readdir;
    syncBuiltinESMExports();
  };
  onTestFinished(restore);
  const listed: unknown[] = [];
  fsPromises.readdir = ((path: string, ...rest: []) => {
    listed.push(path);
    return readdir(path, ...rest);
  }) as typeof readdir;
  syncBuiltinESMExports();
  const { dir, watch, events } = await watchDir();
  await using _ = closing(watch);
  const before = events();
  for (let n = 0; n < 100; n++) writeFileSync(join(dir, `more-${n}.json`), 'x');
  await until(() => events() > before);
  await pause(CHOKIDAR_TIMER_MS + 100);
  expect(listed).toEqual([]);
});
