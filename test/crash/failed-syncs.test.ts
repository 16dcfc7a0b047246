// needs: strace git
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Call, listCalls } from './calls.ts';
import { runFaulty } from './faults.ts';
import { HeldRouter, hasEnded } from './held-router.ts';
import { checkRest, copyOf, dropCopy, makeTemplate, mendInbox, runClean } from './scene.ts';
import { FULL, SWEEP_MS, sample, sweep, whatLacks } from './sweep.ts';

const lack = await whatLacks();

let template = '';
let syncs: Call[] = [];

beforeAll(async () => {
  if (lack !== undefined) return;
  template = await makeTemplate();
  const hive = copyOf(template);
  await using router = await HeldRouter.start();
  const calls = await listCalls(router, hive);
  // Of files; a directory has no pages that could be marked clean.
  syncs = calls.filter(({ text }) => /^fsync .*(\/stage\/ID\/|\.tmp|log\.jsonl)/.test(text));
  dropCopy(hive);
}, SWEEP_MS);

describe.skipIf(lack !== undefined)('a sync that fails', { timeout: SWEEP_MS }, () => {
  it('is not tried again on the same file: the bytes are written to another', async () => {
    const points = FULL ? syncs : sample(syncs, 5);
    await sweep('failed syncs', points, async (at, supply) => {
      const hive = copyOf(template);
      const log = statSync(join(hive, 'log.jsonl')).ino;
      const fault = { at, effect: 'error=EIO' };
      const faulty = await runFaulty(await supply.take(), hive, fault);
      if (!hasEnded(faulty.exitCode)) await supply.replace();
      const lines = readFileSync(`${hive}.trace`, 'latin1').split('\n');
      const failed = lines.findIndex((line) => line.includes('(INJECTED)'));
      const path = /<([^>]+)>/.exec(lines[failed] ?? '')?.[1] ?? '';
      const again = lines.slice(failed + 1).filter((line) => line.includes(`<${path}>`));
      // Where nothing was to be written after it, the log need not begin anew.
      const isLog = path.endsWith('log.jsonl');
      if (isLog && again.length > 0) expect(statSync(path).ino).not.toBe(log);
      if (!isLog) expect(again).toEqual([]);
      mendInbox(hive);
      await runClean(hive);
      checkRest(hive);
      dropCopy(hive);
      return faulty;
    });
  });
});
