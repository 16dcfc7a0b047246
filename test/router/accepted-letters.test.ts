import { describe, expect, it } from 'vitest';
import { recordBatches } from '../../src/history/recorder.ts';
import type { HivemailError } from '../../src/protocol/errors.ts';
import { AcceptedLetters, readRecordedOf } from '../../src/router/accepted-letters.ts';
import * as hives from '../history/hive.ts';

describe('accepted letters', () => {
  it('are read from git as they were recorded, those it has', async () => {
    const hive = hives.makeHive();
    const record = hives.makeMessage(hive);
    const at = new Date(hives.NOON).toISOString();
    const repository = await hives.prepare(hive);
    const batch = hives.makeMessage(hive).id;
    await recordBatches(repository, [{ batch, at, records: [record] }]);
    const read = readRecordedOf(hive.layout);
    const found = await read([record.id, batch, 'no id'], new AbortController().signal);
    expect([...found]).toEqual([[record.id, record.message]]);
  });

  it('are none where there is no history', async () => {
    const read = readRecordedOf({ git: '/nonexistent/.git' });
    expect(await read(['a'], new AbortController().signal)).toEqual(new Map());
  });

  it('are asked for together, one reading at a time', async () => {
    const asked: (readonly string[])[] = [];
    await using letters = new AcceptedLetters(async (ids) => {
      asked.push(ids);
      return new Map();
    });
    expect([letters.take('a'), letters.take('b'), letters.take('a')]).toEqual(
      Array(3).fill('asked'),
    );
    await letters.settled();
    expect([letters.take('a'), letters.take('b')]).toEqual([undefined, undefined]);
    expect(asked).toEqual([['a', 'b']]);
  });

  it('hold up no end of the router', async () => {
    const letters = new AcceptedLetters(
      async (_, signal) =>
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as HivemailError)),
        ),
    );
    letters.take('a');
    await Promise.resolve();
    await letters[Symbol.asyncDispose]();
    expect(letters.take('a')).toBeUndefined();
    expect(letters.take('b')).toBe('asked');
  });
});
