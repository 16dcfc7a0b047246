import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createIdSource } from '../../src/protocol/ids.ts';
import { makeScene, NOW } from './scene.ts';

const row = (fields: object): string =>
  `${JSON.stringify({ seq: 1, ts: '2026-11-30T17:00:00.000Z', epoch: 1, kind: 'warning', ...fields })}\n`;
const HOUR_MS = 3_600_000;

describe('log.jsonl', () => {
  it('is fine with whole rows', async () => {
    const { look, write } = await makeScene();
    write('log.jsonl', row({}) + row({}));
    expect(await look('log')).toMatchObject([
      { level: 'ok', what: 'The log can be read; its last row is of 2026-11-30T17:00:00.000Z.' },
    ]);
  });

  it('is noted with a torn last line and with lines that are no row, each counted once', async () => {
    const { look, write } = await makeScene();
    write('log.jsonl', `${row({})}x\n{"a":1}\n\n${row({})}{"seq":`);
    expect((await look('log')).map(({ level, what }) => [level, what])).toEqual([
      ['note', 'The last line of log.jsonl is torn.'],
      ['note', '2 lines near the end of log.jsonl are no row.'],
    ]);
  });

  it('is read only at its end, where no line is taken for torn that is only cut by the reading', async () => {
    const { look, write } = await makeScene();
    const line = row({ note: 'x'.repeat(997) });
    write('log.jsonl', `no row\n${line.repeat(1200)}`);
    expect(await look('log')).toMatchObject([{ level: 'ok' }]);
  });

  it('is noted when it is very large', async () => {
    const { look, write } = await makeScene();
    truncateSync(write('log.jsonl', row({})), 3 * 1024 ** 3);
    expect((await look('log')).map(({ what }) => what)).toContain('log.jsonl has 3.0 GiB.');
  });

  it.each(['directory', 'link'])('is an error as a %s', async (kind) => {
    const { look, layout } = await makeScene();
    if (kind === 'link') symlinkSync('/dev/zero', layout.log);
    else mkdirSync(layout.log);
    expect(await look('log')).toMatchObject([{ level: 'error', what: 'log.jsonl is no file.' }]);
  });
});

describe('the clock', () => {
  it.each([
    [-HOUR_MS, 'ok', 'The clock says'],
    [1000, 'ok', 'The clock says'],
    [90_000, 'note', '1 minute ahead'],
    [HOUR_MS * 3, 'warning', '3 hours ahead'],
    [HOUR_MS * 24 * 9, 'warning', '9 days ahead'],
  ])('%i ms behind the newest message is %s', async (aheadMs, level, what) => {
    const { look, write } = await makeScene();
    const { next } = createIdSource({ now: () => NOW + aheadMs, random: () => 'abcdefgh' });
    write('log.jsonl', row({ kind: 'letter', id: next() }) + row({ id: 'human-made' }));
    expect(await look('clock')).toMatchObject([{ level, what: expect.stringContaining(what) }]);
  });
});
