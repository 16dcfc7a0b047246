import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSlots } from '../../src/hive/slots.ts';

describe('slots', () => {
  it('never runs more operations at once than there are slots, and runs all in order', async () => {
    const slots = createSlots(3);
    const started: number[] = [];
    let running = 0;
    let most = 0;
    const operations = Array.from({ length: 20 }, (_, index) =>
      slots.use(async () => {
        started.push(index);
        running += 1;
        most = Math.max(most, running);
        await turn();
        running -= 1;
        return index;
      }),
    );
    expect(await Promise.all(operations)).toEqual(started);
    expect(most).toBe(3);
  });
  it('frees the slot of an operation that fails', async () => {
    const slots = createSlots(1);
    const fail = () =>
      slots.use(async () => {
        throw new Error('no');
      });
    await expect(fail()).rejects.toThrow('no');
    await expect(fail()).rejects.toThrow('no');
    await expect(slots.use(async () => 'yes')).resolves.toBe('yes');
  });
});
