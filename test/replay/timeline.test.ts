import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/index.ts';
import { readTimeline, type TimelineOptions } from '../../src/replay/timeline.ts';
import { openRouter } from '../../src/router/open-router.ts';
import { runPass } from '../../src/router/pass.ts';
import { makePastHive, type PastHive } from './past-hive.ts';

async function bodies(hive: PastHive, wanted?: TimelineOptions): Promise<string[]> {
  const all: string[] = [];
  for await (const { body } of readTimeline(hive.options, wanted)) all.push(body);
  return all;
}

/** Three letters, each of another pair, and when each was accepted. */
async function spoken() {
  const hive = await makePastHive();
  const inform = { to: 'coder', act: 'inform' };
  const first = await hive.send('planner', { ...inform, body: 'one', conversation: 'c' });
  const second = await hive.send('tester', { ...inform, body: 'two' });
  const third = await hive.send('planner', { ...inform, to: ['god', 'tester'], body: 'three' });
  return { hive, first, second, third };
}

describe('the timeline', () => {
  it('tells what was said, oldest first', async () => {
    const { hive } = await spoken();
    expect(await bodies(hive)).toEqual(['one', 'two', 'three']);
  });
  it('is that of a time, an agent, a conversation, when asked', async () => {
    const { hive, second } = await spoken();
    const at = hive.inbox('coder').find(({ id }) => id === second.id)?.created_at as string;
    expect(await bodies(hive, { since: at })).toEqual(['two', 'three']);
    expect(await bodies(hive, { until: at })).toEqual(['one', 'two']);
    expect(await bodies(hive, { agent: 'TESTER' })).toEqual(['two', 'three']);
    expect(await bodies(hive, { conversation: 'c' })).toEqual(['one']);
    expect(await bodies(hive, { agent: 'god', conversation: 'c' })).toEqual([]);
  });
  it('holds what git has not recorded yet, once', async () => {
    const { hive } = await spoken();
    hive.write('planner', 'x.json', { to: 'coder', act: 'inform', body: 'four' });
    {
      await using open = await openRouter({ dir: hive.dir, clock: systemClock });
      while ((await runPass(open.router, { takeIn: true })).letters === 0);
      expect(await bodies(hive)).toEqual(['one', 'two', 'three', 'four']);
    }
    await hive.route();
    expect(await bodies(hive)).toEqual(['one', 'two', 'three', 'four']);
  });
  it('holds once what git has, and the queue still', async () => {
    const { hive } = await spoken();
    for await (const message of readTimeline(hive.options)) {
      const { id, created_at: at } = message;
      const batch = JSON.stringify({ batch: id, at, records: [{ id, message }] });
      writeFileSync(join(hive.layout.historyQueue, `${id}.json`), batch);
    }
    expect(await bodies(hive)).toEqual(['one', 'two', 'three']);
  });
  it('tells how far it is, by the time of what is looked at', async () => {
    const { hive, third } = await spoken();
    const shares: number[] = [];
    const until = new Date(systemClock.now()).toISOString();
    await bodies(hive, { until, onProgress: (share) => shares.push(share) });
    expect(shares[0]).toBe(0);
    expect(shares.toSorted((a, b) => a - b)).toEqual(shares);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
    expect(third.code).toBe('delivered');
  });
  it('is refused where there is no history, no git, or the time is none', async () => {
    const { hive } = await spoken();
    await expect(bodies(hive, { since: 'soon' })).rejects.toMatchObject({ code: 'usage' });
    const { options } = hive;
    const noGit = { ...hive, options: { ...options, env: { PATH: '' } } };
    await expect(bodies(noGit)).rejects.toMatchObject({ code: 'git' });
    renameSync(hive.layout.git, join(hive.dir, 'elsewhere'));
    await expect(bodies(hive)).rejects.toMatchObject({ code: 'not-found' });
    rmSync(join(hive.dir, 'elsewhere'), { recursive: true });
  });
});
