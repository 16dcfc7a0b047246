import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createIdSource,
  idPrefixTimes,
  idTimePrefix,
  isMessageId,
  MESSAGE_ID,
  type MessageId,
  messageIdTime,
} from '../../src/protocol/ids.ts';

const NOON = Date.parse('2026-11-30T12:00:00Z');
const random = () => 'abcdefgh';

/** A source whose clock shows one time after the other, and then stays. */
function sourceAt(...times: number[]) {
  let last = times[0] ?? NOON;
  const now = () => {
    last = times.shift() ?? last;
    return last;
  };
  return createIdSource({ now, random });
}

function take(source: { next(): MessageId }, count: number): MessageId[] {
  return Array.from({ length: count }, () => source.next());
}

describe('an id', () => {
  it('is twelve characters of time and counter, a dash, and the random tail', () => {
    const id = sourceAt(NOON).next();
    expect(id).toMatch(MESSAGE_ID);
    expect(id.endsWith('-abcdefgh')).toBe(true);
    expect(messageIdTime(id)).toBe(NOON);
  });
  it('tells its time to the millisecond, for any time there is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 8.64e15 / 1000 }), (time) => {
        expect(messageIdTime(sourceAt(time).next())).toBe(time);
      }),
    );
  });
  it('is told from other texts', () => {
    const id = sourceAt(NOON).next();
    expect(isMessageId(id)).toBe(true);
    for (const other of [id.toUpperCase(), `${id}x`, id.slice(1), `${id}\n`, '', 7, null]) {
      expect(isMessageId(other)).toBe(false);
    }
    expect(isMessageId(id.replace(/^./, 'u'))).toBe(false);
  });
  it('is a file name on every system: one case, no separator, no dot', () => {
    for (const id of take(sourceAt(NOON), 2000)) expect(id).toMatch(/^[0-9a-z-]+$/);
  });
});

describe('a source of ids', () => {
  it('issues ids that sort in the order issued, also within a millisecond', () => {
    const ids = take(sourceAt(NOON), 5000);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });
  it('goes on sorting when the clock steps back', () => {
    const ids = take(sourceAt(NOON, NOON + 5, NOON - 3_600_000, NOON - 10, NOON + 6), 5);
    expect([...ids].sort()).toEqual(ids);
    expect(ids.map(messageIdTime)).toEqual([NOON, NOON + 5, NOON + 5, NOON + 5, NOON + 6]);
  });
  it('moves on to the next millisecond when the counter of one is used up', () => {
    const ids = take(sourceAt(NOON), 32 ** 3 + 2);
    expect(messageIdTime(ids.at(-3) as MessageId)).toBe(NOON);
    expect(ids.slice(-2).map(messageIdTime)).toEqual([NOON + 1, NOON + 1]);
    expect([...ids].sort()).toEqual(ids);
  });
  it('sorts after every id it was told of, whatever the clock says', () => {
    const [old, late] = take(sourceAt(NOON, NOON + 1000), 2) as [MessageId, MessageId];
    const source = sourceAt(NOON);
    source.observe(late);
    source.observe(old);
    expect(source.next() > late).toBe(true);
    expect(createIdSource({ now: () => 0, random, after: late }).next() > late).toBe(true);
  });
  it('sorts after the last id of a millisecond whose counter is used up', () => {
    const last = take(sourceAt(NOON), 32 ** 3).at(-1) as MessageId;
    const source = sourceAt(NOON);
    source.observe(last);
    const next = source.next();
    expect(messageIdTime(next)).toBe(NOON + 1);
    expect(next > last).toBe(true);
  });
  it('issues growing ids for any walk of the clock and any ids observed', () => {
    const step = fc.record({ now: fc.nat(1000), observed: fc.option(fc.nat(1000)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        let now = 0;
        const source = createIdSource({ now: () => now, random });
        let greatest = '';
        for (const { now: wall, observed } of steps) {
          now = wall;
          if (observed !== null) {
            const seen = sourceAt(observed).next();
            source.observe(seen);
            if (seen > greatest) greatest = seen;
          }
          const id = source.next();
          expect(id > greatest).toBe(true);
          greatest = id;
        }
      }),
    );
  });
});

describe('the beginning of an id', () => {
  const at = (timeMs: number) =>
    createIdSource({ now: () => timeMs, random: () => '00000000' }).next();

  it('is that of its time, and those issued before sort before it', () => {
    const timeMs = 1_796_000_000_000;
    expect(at(timeMs).startsWith(idTimePrefix(timeMs))).toBe(true);
    expect(at(timeMs - 1) < idTimePrefix(timeMs)).toBe(true);
    expect(idTimePrefix(-5)).toBe('000000000');
  });

  it('bounds the time of every id that begins so', () => {
    const id = at(1_796_000_000_000);
    for (let length = 1; length <= id.length; length++) {
      const { firstMs, lastMs } = idPrefixTimes(id.slice(0, length)) ?? {};
      expect(firstMs).toBeLessThanOrEqual(1_796_000_000_000);
      expect(lastMs).toBeGreaterThanOrEqual(1_796_000_000_000);
    }
    expect(idPrefixTimes(id.slice(0, 9))).toEqual({
      firstMs: 1_796_000_000_000,
      lastMs: 1_796_000_000_000,
    });
    expect(idPrefixTimes(id.slice(0, 8))?.firstMs).toBe(1_796_000_000_000);
  });

  it.each(['', 'u', 'A', '1m8pyqzvp000x', '1-', '../x', '1m8pyqzvp000-aaaaaaaaa'])(
    '"%s" begins no id',
    (text) => {
      expect(idPrefixTimes(text)).toBeUndefined();
    },
  );
});
