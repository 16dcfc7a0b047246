import { appendFileSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { systemClock } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import { createIdSource } from '../../src/protocol/ids.ts';
import { type Trace, traceMessage } from '../../src/replay/trace.ts';
import { makePastHive, type PastHive } from './past-hive.ts';

const REQUEST = { to: 'coder', act: 'request', subject: 'Split', body: 'By concern.' };

/** The steps of a life, as `kind agent`. */
function life({ steps }: Trace): string[] {
  return steps.map(({ kind, agent = '' }) => `${kind} ${agent}`.trim());
}

function addRow(hive: PastHive, row: Partial<LogRow>): void {
  const ts = new Date(systemClock.now()).toISOString();
  appendFileSync(hive.layout.log, `${JSON.stringify({ seq: 1e6, ts, epoch: 9, ...row })}\n`);
}

describe("a message's life", () => {
  it('goes from its writing to its answer, each step with what it took', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    const at = new Date(systemClock.now()).toISOString();
    const told = { code: 'turn-end', note: 'claude, new' };
    addRow(hive, { kind: 'announced', id, to: ['coder'], at, ...told });
    hive.handle('coder', id);
    await hive.route();
    const answer = await hive.send('coder', { act: 'agree', body: 'x', in_reply_to: id });
    const trace = await hive.hive.trace(id);
    expect(life(trace)).toEqual([
      ...['written planner', 'accepted planner', 'decided', 'delivered coder'],
      ...['announced coder', 'handled coder', 'answered coder'],
    ]);
    const [written, accepted, , , announced, handled, answered] = trace.steps;
    expect(accepted?.tookMs).toBe(Date.parse(accepted?.at ?? '') - Date.parse(written?.at ?? ''));
    expect(announced).toMatchObject({ at, says: 'announced to coder (turn-end): claude, new' });
    expect(handled?.tookMs).toBeGreaterThan(0);
    expect(answered).toMatchObject({ id: answer.id, says: 'coder answered: agree' });
    expect(trace.message).toMatchObject({ id, body: 'By concern.', outcome: 'delivered' });
    expect(trace.copies).toEqual([{ agent: 'coder', place: 'done' }]);
    expect(trace.thread.map((entry) => entry.id)).toEqual([id, answer.id]);
    expect(trace.gaps).toEqual([]);
  });
  it('tells what was mended, and by what reason a letter bounced and its sender was told', async () => {
    const hive = await makePastHive();
    const { outbox } = hive.layout.agent('planner' as AgentId);
    writeFileSync(join(outbox, 'a.json'), '{"to":"nobody","act":"request","body":"x",}');
    await hive.route();
    const [row] = hive.rows();
    const trace = await hive.hive.trace(row?.id ?? '');
    expect(life(trace)).toEqual([
      ...['written planner', 'accepted planner', 'repaired', 'decided'],
      ...['failed nobody', 'told planner'],
    ]);
    const decided = trace.steps.find(({ kind }) => kind === 'decided');
    expect(decided).toMatchObject({
      code: 'unknown-recipient',
      says: 'bounced (unknown-recipient): no agent has that id or name',
    });
    expect(trace).toMatchObject({ message: undefined, copies: [] });
  });
  it('tells a hold and its end', async () => {
    const hive = await makePastHive();
    await hive.hive.changeRoster({ op: 'hold', agent: 'coder' });
    const { id } = await hive.send('planner', REQUEST);
    expect((await hive.hive.trace(id)).copies).toEqual([{ agent: 'coder', place: 'held' }]);
    await hive.hive.release(id);
    const trace = await hive.hive.trace(id);
    expect(life(trace).slice(2)).toEqual([
      'decided',
      'held coder',
      'told planner',
      'released coder',
    ]);
    expect(trace.copies).toEqual([{ agent: 'coder', place: 'inbox' }]);
  });
  it('tells through whom a letter is to reach the person, and that it was copied to the desk', async () => {
    const hive = await makePastHive({ escalateMs: 1 });
    const { id } = await hive.send('coder', { to: 'human', act: 'query', body: 'x' });
    await hive.route();
    const trace = await hive.hive.trace(id);
    expect(life(trace)).toContain('escalated human');
    const decided = trace.steps.find(({ kind }) => kind === 'decided');
    expect(decided?.says).toContain('it is for the person, through god');
    expect(trace.copies).toEqual([
      { agent: 'god', place: 'inbox' },
      { agent: 'human', place: 'inbox' },
    ]);
  });
  it('tells of a copy that was removed', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    unlinkSync(join(hive.layout.agent('coder' as AgentId).inbox, `${id}.json`));
    await hive.route();
    const trace = await hive.hive.trace(id);
    expect(trace.steps.at(-1)).toMatchObject({ kind: 'handled', says: 'coder took it away' });
    expect(trace.copies).toEqual([{ agent: 'coder', place: 'removed' }]);
  });
  it('shows the conversation around it: of a named one what it grew out of, and what came after', async () => {
    const hive = await makePastHive();
    const named = { ...REQUEST, conversation: 'parser' };
    const first = await hive.send('planner', named);
    const reply = { act: 'query', body: 'x', in_reply_to: first.id };
    const second = await hive.send('coder', reply);
    const third = await hive.send('planner', { act: 'inform', body: 'x', in_reply_to: second.id });
    await hive.send('planner', { ...REQUEST, conversation: 'other' });
    const { thread } = await hive.hive.trace(second.id);
    expect(thread.map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
  });
});

describe('a message is found', () => {
  it('by the beginning of its id, also a notice', async () => {
    const hive = await makePastHive();
    await hive.send('planner', { ...REQUEST, to: 'nobody' });
    const [notice] = hive.inbox('planner');
    const trace = await hive.hive.trace(notice?.id.slice(0, 14) ?? '');
    expect(trace).toMatchObject({ id: notice?.id, entry: { from: 'system', to: ['planner'] } });
    expect(life(trace)).toEqual(['decided', 'delivered planner']);
  });
  it('unless its id is unknown, no id, or the beginning of several', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    await hive.send('planner', REQUEST);
    await expect(hive.hive.trace('1m8pyqzvp000-jgvvao4d')).rejects.toMatchObject({
      code: 'not-found',
    });
    await expect(hive.hive.trace('../etc')).rejects.toMatchObject({ code: 'usage' });
    await expect(hive.hive.trace(id.slice(0, 3))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('several'),
    });
  });
  it('in the history, when the log no longer tells of it', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    writeFileSync(hive.layout.log, '');
    const trace = await hive.hive.trace(id.slice(0, 15));
    expect(trace).toMatchObject({ id, message: { body: 'By concern.' }, thread: [{ id }] });
    expect(trace.copies).toEqual([{ agent: 'coder', place: 'inbox' }]);
    expect(trace.gaps).toEqual([expect.stringContaining('The log has no row')]);
  });
  it('in the log and in mailboxes, when there is no git', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    const trace = await traceMessage({ ...hive.options, env: { PATH: '' } }, id);
    expect(trace).toMatchObject({ id, message: { body: 'By concern.' } });
    expect(trace.gaps).toEqual([expect.stringContaining("The history can't be read.")]);
    rmSync(hive.layout.git, { recursive: true });
    expect(await hive.hive.trace(id)).toMatchObject({ id, gaps: [] });
  });
});

it('reads nothing of the log that is older than the conversation, and the rest once', async () => {
  const hive = await makePastHive();
  const old = createIdSource({ now: () => Date.UTC(2020, 0), random: () => '00000000' });
  const lines = Array.from({ length: 20_000 }, (_, seq) => {
    const [id, batch] = [old.next(), old.next()];
    const row = { seq, ts: '2020-01-01T00:00:00.000Z', epoch: 1, kind: 'letter', batch, id };
    return `${JSON.stringify({ ...row, conversation: id, from: 'god', to: ['coder'] })}\n`;
  });
  writeFileSync(hive.layout.log, lines.join(''));
  const { id } = await hive.send('planner', REQUEST);
  const reads: number[] = [];
  const own = createNodeFs();
  const read: HiveFs['read'] = (path, most, from) => {
    const got = own.read(path, most, from);
    if (path === hive.layout.log) reads.push(got.bytes.length);
    return got;
  };
  const fs = Object.assign(Object.create(own) as HiveFs, { read });
  const trace = await traceMessage({ ...hive.options, fs }, id);
  expect(life(trace)).toContain('delivered coder');
  expect(readFileSync(hive.layout.log).length).toBeGreaterThan(3_000_000);
  expect(reads.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(1_500_000);
});
