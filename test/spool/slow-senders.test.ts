import { describe, expect, it } from 'vitest';
import { SlowSenders } from '../../src/spool/slow-senders.ts';
import { agentId } from './spool-scene.ts';

const [slow, quick, other] = ['slow', 'quick', 'other'].map(agentId) as [
  ReturnType<typeof agentId>,
  ReturnType<typeof agentId>,
  ReturnType<typeof agentId>,
];

function make() {
  let nowMs = 0;
  const senders = new SlowSenders(() => nowMs);
  const wait = (ms: number) => void (nowMs += ms);
  const read = (sender: typeof slow, ms: number) => {
    senders.noteMail(sender);
    senders.time(sender, () => wait(ms));
  };
  return { senders, wait, read };
}

describe('a sender whose letter was slow to read', () => {
  it('rests four times as long as it took, while others have mail', () => {
    const { senders, wait, read } = make();
    read(quick, 1);
    read(slow, 200);
    senders.endPass();
    expect([slow, quick].map((sender) => senders.rests(sender))).toEqual([true, false]);
    wait(799);
    expect(senders.rests(slow)).toBe(true);
    wait(1);
    expect(senders.rests(slow)).toBe(false);
  });

  it('does not rest while it is alone, nor once nobody else has written for ten seconds', () => {
    const { senders, wait, read } = make();
    read(slow, 200);
    senders.endPass();
    expect(senders.rests(slow)).toBe(false);
    read(quick, 1);
    senders.endPass();
    expect(senders.rests(slow)).toBe(true);
    read(slow, 20_000);
    wait(10_000);
    senders.endPass();
    expect(senders.rests(slow)).toBe(false);
  });

  it('rests for what all of them took together', () => {
    const { senders, wait, read } = make();
    read(slow, 60);
    read(other, 60);
    senders.endPass();
    wait(479);
    expect([slow, other].every((sender) => senders.rests(sender))).toBe(true);
    wait(1);
    expect([slow, other].some((sender) => senders.rests(sender))).toBe(false);
  });
});

it('any number of ordinary letters are not slow', () => {
  const { senders, read } = make();
  read(quick, 1);
  for (let letter = 0; letter < 1000; letter++) read(slow, 20);
  expect(senders.isSpent).toBe(false);
  senders.endPass();
  expect(senders.rests(slow)).toBe(false);
});

it('slow letters have a tenth of a second in a pass, and as much in the next', () => {
  const { senders, read } = make();
  read(slow, 60);
  expect(senders.isSpent).toBe(false);
  read(other, 60);
  expect(senders.isSpent).toBe(true);
  senders.endPass();
  expect(senders.isSpent).toBe(false);
});
