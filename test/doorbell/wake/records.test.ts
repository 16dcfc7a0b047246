import { describe, expect, it } from 'vitest';
import { NO_STATE } from '../../../src/doorbell/state.ts';
import {
  formatWakes,
  isAskedAgain,
  isCurrent,
  parseWakes,
  type WakeRecord,
} from '../../../src/doorbell/wake/records.ts';

const record: WakeRecord = {
  ...{ client: 'codex', session: 's', idleSince: 100, at: 1000, asked: 1 },
  ...{ result: 'queued', why: 'queued' },
};
const holder = { client: 'codex', session: 's', heardAt: 1, place: {} } as const;

describe('what is remembered of wakes', () => {
  it('comes back as it was written', () => {
    const records = new Map([
      ['coder', record],
      ['tester', { ...record, result: 'no-way', why: 'refused', asked: 4 } as const],
    ]);
    expect(parseWakes(formatWakes(records))).toEqual(records);
  });

  it.each<[string, object]>([
    ['a result of another version', { result: 'rung' }],
    ['a reason of another version', { why: 'toString' }],
    ['a client that is none', { client: 'cat' }],
    ['a time that is none', { at: '1000' }],
    ['a negative time', { idleSince: -1 }],
    ['no session', { session: undefined }],
  ])('leaves out %s', (_, changes) => {
    const text = JSON.stringify({ coder: { ...record, ...changes }, tester: record });
    expect([...parseWakes(text).keys()]).toEqual(['tester']);
  });

  it('is nothing where the file holds something else', () => {
    for (const text of ['', '[', 'null', '[1]', '{"coder":null}']) {
      expect(parseWakes(text).size).toBe(0);
    }
  });

  it('is of one idle time of one session', () => {
    expect(isCurrent(record, { ...NO_STATE, holder, activeAt: 100 })).toBe(true);
    expect(isCurrent(record, { ...NO_STATE, holder, activeAt: 101 })).toBe(false);
    const other = { ...holder, session: 't' };
    expect(isCurrent(record, { ...NO_STATE, holder: other, activeAt: 100 })).toBe(false);
    expect(isCurrent(record, { ...NO_STATE, activeAt: 100 })).toBe(false);
    expect(isCurrent(undefined, { ...NO_STATE, holder, activeAt: 100 })).toBe(false);
  });

  it.each([
    [1, 60_000],
    [2, 300_000],
    [3, 1_800_000],
    [9, 1_800_000],
  ])('asks again after wake %i in %i ms, and not before', (asked, afterMs) => {
    expect(isAskedAgain({ ...record, asked }, record.at + afterMs - 1)).toBe(false);
    expect(isAskedAgain({ ...record, asked }, record.at + afterMs)).toBe(true);
    // The clock was set back by more than that.
    expect(isAskedAgain({ ...record, asked }, record.at - afterMs)).toBe(true);
  });
});
