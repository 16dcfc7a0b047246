import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ConversationPart, readConversation } from '../../src/replay/conversation.ts';
import { makePastHive, type PastHive } from './past-hive.ts';

const REQUEST = { to: 'coder', act: 'request', subject: 'Split', body: 'By concern.' };

async function partsOf(hive: PastHive, name: string): Promise<ConversationPart[]> {
  const parts: ConversationPart[] = [];
  for await (const part of readConversation(hive.options, name)) parts.push(part);
  return parts;
}

async function bodiesOf(hive: PastHive, name: string): Promise<(string | undefined)[]> {
  return (await partsOf(hive, name)).map(({ message }) => message?.body);
}

/** A hive in which coder has answered planner, in a conversation of a name or not. */
async function talked(conversation?: string) {
  const hive = await makePastHive();
  const named = conversation === undefined ? {} : { conversation };
  const { id } = await hive.send('planner', { ...REQUEST, ...named });
  await hive.send('tester', { to: 'coder', act: 'query', body: 'of another' });
  const reply = { act: 'query', body: 'Which?', in_reply_to: id };
  const answer = await hive.send('coder', reply);
  return { hive, id, answer };
}

describe('a conversation', () => {
  it('is told oldest first, with bodies, found by any of its messages', async () => {
    const { hive, id, answer } = await talked();
    const bodies = ['By concern.', 'Which?'];
    expect(await bodiesOf(hive, id)).toEqual(bodies);
    expect(await bodiesOf(hive, answer.id)).toEqual(bodies);
    expect(await bodiesOf(hive, answer.id.slice(0, 16))).toEqual(bodies);
  });
  it('is found by its name, also one that looks like the beginning of an id', async () => {
    const { hive } = await talked('1m8');
    expect(await bodiesOf(hive, '1m8')).toEqual(['By concern.', 'Which?']);
  });
  it('holds what was refused, without a body, and the notices', async () => {
    const { hive, id } = await talked();
    await hive.send('coder', { act: 'yell', body: 'x', in_reply_to: id });
    await hive.send('planner', { to: 'nobody', act: 'query', body: 'x', conversation: id });
    const parts = await partsOf(hive, id);
    expect(parts.map(({ entry }) => [entry.from, entry.code])).toEqual([
      ['planner', 'delivered'],
      ['coder', 'delivered'],
      ['planner', 'unknown-recipient'],
      ['system', 'delivered'],
    ]);
    expect(parts[2]?.message).toBeUndefined();
  });
  it('is told by the history where the log no longer does', async () => {
    const { hive, id, answer } = await talked('c');
    writeFileSync(hive.layout.log, '');
    expect(await bodiesOf(hive, 'c')).toEqual(['By concern.', 'Which?']);
    const last = await hive.send('planner', {
      act: 'inform',
      body: 'All.',
      in_reply_to: answer.id,
    });
    expect(await bodiesOf(hive, 'c')).toEqual(['By concern.', 'Which?', 'All.']);
    expect(await bodiesOf(hive, last.id)).toEqual(['By concern.', 'Which?', 'All.']);
    expect(await bodiesOf(hive, id)).toEqual(['By concern.', 'Which?', 'All.']);
  });
  it('is not found by a name that nothing has', async () => {
    const { hive } = await talked();
    await expect(partsOf(hive, 'no such thing')).rejects.toMatchObject({ code: 'not-found' });
    await expect(partsOf(hive, '1m8pyqzvp000-jgvvao4d')).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(partsOf(hive, '1')).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('open conversations', () => {
  it('tell who owes whom, the longest open first', async () => {
    const { hive, id, answer } = await talked();
    const open = hive.hive.conversations();
    expect(open.map(({ owed }) => owed.map(({ owes, to }) => `${owes}>${to}`))).toEqual([
      ['coder>planner', 'planner>coder'],
      ['coder>tester'],
    ]);
    expect(open[0]).toMatchObject({ conversation: id, owed: [{ id }, { id: answer.id }] });
  });
  it('are those of one agent, or of a time, when asked', async () => {
    const { hive, answer } = await talked();
    const ofTester = hive.hive.conversations({ agent: 'Tester' });
    expect(ofTester.map(({ owed }) => owed.length)).toEqual([1]);
    const late = hive.hive.conversations({ since: answer.ts });
    expect(late).toMatchObject([{ owed: [{ id: answer.id }] }]);
  });
  it('say when nobody is there to answer, and leave out what was answered', async () => {
    const { hive, answer } = await talked();
    await hive.send('planner', { act: 'inform', body: 'That.', in_reply_to: answer.id });
    await hive.hive.changeRoster({ op: 'archive', agent: 'coder' });
    const owed = hive.hive.conversations().flatMap((each) => each.owed);
    expect(owed.map(({ owes, archived }) => [owes, archived])).toEqual([
      ['coder', true],
      ['coder', true],
    ]);
  });
  it('are told how far the reading is', async () => {
    const { hive } = await talked();
    const shares: number[] = [];
    hive.hive.conversations({ onProgress: (share) => shares.push(share) });
    expect(shares.at(-1)).toBe(1);
  });
});
