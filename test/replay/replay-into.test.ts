import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openHive, runOnce, systemClock } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { replayInto } from '../../src/replay/replay-into.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { type DirectoryState, readDirectoryState } from './directory-state.ts';
import { makePastHive, type PastHive } from './past-hive.ts';

const REQUEST = { to: 'coder', act: 'request', subject: 'Split', body: 'By concern.' };

/** The present moment, when nothing of the past bears its time and nothing to come does. */
async function moment(): Promise<string> {
  await pause(3);
  const now = new Date(systemClock.now()).toISOString();
  await pause(3);
  return now;
}

async function stateAt(hive: PastHive, until: string): Promise<DirectoryState> {
  const into = join(tempDir(), 'past');
  await replayInto(hive.options, { into, until });
  return readDirectoryState(into);
}

describe('a hive rebuilt as it stood', () => {
  it('has each letter where it lay at that time, as it was', async () => {
    const hive = await makePastHive();
    const before = await moment();
    const { id } = await hive.send('planner', REQUEST);
    const arrived = await moment();
    hive.handle('coder', id);
    await hive.send('coder', { act: 'done', body: 'x\u202e', in_reply_to: id, extra: [1] });
    const answered = await moment();
    const now = readDirectoryState(hive.dir);
    expect(await stateAt(hive, before)).toEqual({});
    const path = `agents/coder/inbox/${id}.json`;
    expect(Object.keys(await stateAt(hive, arrived))).toEqual([path]);
    expect(await stateAt(hive, answered)).toEqual(now);
    expect(Object.keys(now)).toHaveLength(2);
  });
  it('has roster, plan and what agents say of themselves as they were, to the second', async () => {
    const hive = await makePastHive();
    const [board, memory] = [join(hive.dir, 'board.md'), 'agents/coder/memory.md'];
    writeFileSync(board, 'First the parser.');
    writeFileSync(join(hive.dir, memory), 'I like parsers.');
    await hive.send('planner', REQUEST);
    await pause(1100);
    const until = await moment();
    await pause(1100);
    writeFileSync(board, 'Then the printer.');
    writeFileSync(join(hive.dir, memory), 'I like printers.');
    await hive.hive.changeRoster({ op: 'archive', agent: 'tester' });
    await hive.route();
    const into = join(tempDir(), 'past');
    const { missing } = await replayInto(hive.options, { into, until });
    expect(missing).toEqual([]);
    expect(readFileSync(join(into, 'board.md'), 'utf8')).toBe('First the parser.');
    expect(readFileSync(join(into, memory), 'utf8')).toBe('I like parsers.');
    const isGone = (dir: string): unknown =>
      openHive(dir)
        .agents()
        .find(({ id }) => id === 'tester')?.entry.archived;
    expect([isGone(hive.dir), isGone(into) ?? false]).toEqual([true, false]);
  });
  it('has what was for the person as it was, also when the orchestrator is archived since', async () => {
    const hive = await makePastHive();
    const asked = await hive.send('human', REQUEST);
    await hive.send('coder', { to: 'human', act: 'query', body: 'x', in_reply_to: asked.id });
    const others = { to: ['human', 'tester'], act: 'query', body: 'x', in_reply_to: asked.id };
    await hive.send('coder', others);
    const both = { to: ['human', 'god'], act: 'query', body: 'x', in_reply_to: asked.id };
    await hive.send('coder', both);
    await hive.hive.changeRoster({ op: 'hold', agent: 'god' });
    await hive.send('planner', { to: 'human', act: 'query', body: 'x' });
    await hive.hive.changeRoster({ op: 'archive', agent: 'god' });
    expect(await stateAt(hive, await moment())).toEqual(readDirectoryState(hive.dir));
  });
  it('can be read, and is refused by whatever would change it', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    const into = join(tempDir(), 'past');
    const report = await replayInto(hive.options, { into, until: await moment() });
    expect(report).toMatchObject({ dir: into, unhandled: 1, handled: 0, held: 0 });
    const past = openHive(into);
    expect(past.inbox('coder' as AgentId).map((entry) => entry.id)).toEqual([id]);
    expect([...past.rows()].map(({ kind }) => kind)).toContain('letter');
    expect(await past.trace(id)).toMatchObject({ id, message: { body: 'By concern.' } });
    const refused = { code: 'refused', message: expect.stringContaining(hive.dir) };
    const letter = { to: 'coder', act: 'inform', subject: 'x' };
    const agent = 'planner' as AgentId;
    await expect(past.send(letter as never, { agent } as never)).rejects.toMatchObject(refused);
    expect(() => past.ack('coder' as AgentId, id)).toThrow(expect.objectContaining(refused));
    await expect(past.changeRoster({ op: 'hold', agent: 'coder' })).rejects.toMatchObject(refused);
    await expect(past.release(id)).rejects.toMatchObject(refused);
    await expect(runOnce({ dir: into, clock: systemClock })).rejects.toMatchObject(refused);
    expect(existsSync(join(into, '.router'))).toBe(false);
    expect(existsSync(join(into, `agents/coder/inbox/${id}.json`))).toBe(true);
  });
  it('is not put over anything, and leaves nothing where it fails', async () => {
    const hive = await makePastHive();
    const dir = tempDir();
    const until = await moment();
    await expect(replayInto(hive.options, { into: dir, until: 'soon' })).rejects.toMatchObject({
      code: 'usage',
    });
    writeFileSync(join(dir, 'mine'), '');
    const refused = { code: 'refused' };
    await expect(replayInto(hive.options, { into: dir, until })).rejects.toMatchObject(refused);
    const file = join(dir, 'mine');
    await expect(replayInto(hive.options, { into: file, until })).rejects.toMatchObject(refused);
    unlinkSync(file);
    await replayInto(hive.options, { into: dir, until });
    expect(existsSync(join(dir, 'replay.json'))).toBe(true);
  });
  it('has the roster of that time as far as it is known, and says what it lacks', async () => {
    const hive = await makePastHive();
    const before = await moment();
    await hive.hive.changeRoster({ op: 'hold', agent: 'coder' });
    await hive.hive.changeRoster({ op: 'add', agent: 'late', fields: {} });
    const held = await moment();
    await hive.hive.changeRoster({ op: 'unhold', agent: 'coder' });
    const rosterAt = async (until: string) => {
      const into = join(tempDir(), 'past');
      const { missing } = await replayInto(hive.options, { into, until });
      const { agents } = JSON.parse(readFileSync(join(into, 'registry.json'), 'utf8'));
      const mark = JSON.parse(readFileSync(join(into, 'replay.json'), 'utf8'));
      expect(mark).toEqual({ version: 1, of: hive.dir, until, missing });
      return { late: 'late' in agents, onHold: agents.coder.onHold === true };
    };
    expect(await rosterAt(before)).toEqual({ late: false, onHold: false });
    expect(await rosterAt(held)).toEqual({ late: true, onHold: true });
    expect(await rosterAt(await moment())).toEqual({ late: true, onHold: false });
  });
  it('says what nothing has any more', async () => {
    const hive = await makePastHive();
    const { id } = await hive.send('planner', REQUEST);
    unlinkSync(join(hive.dir, `agents/coder/inbox/${id}.json`));
    const until = await moment();
    renameSync(hive.layout.git, join(hive.dir, 'elsewhere'));
    const into = join(tempDir(), 'past');
    const { missing } = await replayInto(hive.options, { into, until });
    expect(missing.join(' ')).toContain('1 copies are left out: nothing has their messages');
    mkdirSync(hive.layout.git);
  });
});

const AGENTS = ['god', 'planner', 'coder', 'tester', 'human'] as const;

/** A step of a hive's life. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('send' as const),
      from: fc.constantFrom(...AGENTS),
      to: fc.subarray([...AGENTS, 'broadcast', 'nobody'], { minLength: 1, maxLength: 3 }),
      act: fc.constantFrom('request', 'query', 'inform', 'done', 'refuse'),
      /** Answers one of its letters. */
      reply: fc.option(fc.nat(20)),
      body: fc.string({ unit: 'binary' }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constantFrom('handle' as const, 'remove' as const),
      agent: fc.constantFrom(...AGENTS),
      which: fc.nat(20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom('hold' as const, 'unhold' as const, 'archive' as const),
      agent: fc.constantFrom('god', 'planner', 'coder', 'tester'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('release' as const), which: fc.nat(20) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

let letters = 0;

async function take(hive: PastHive, each: Step): Promise<void> {
  if (each.op === 'send') {
    const { from, to, act, reply, body } = each;
    const got = hive.inbox(from);
    const answered = reply === null ? undefined : got[reply % Math.max(1, got.length)];
    const parent = answered === undefined ? {} : { in_reply_to: answered.id };
    hive.write(from, `${letters++}.json`, { to, act, subject: act, body: `${body}.`, ...parent });
  } else if (each.op === 'release') {
    const held = hive.hive.held();
    const { message } = held[each.which % Math.max(1, held.length)] ?? {};
    if (message !== undefined) await hive.hive.release(message.id);
  } else if (each.op === 'handle' || each.op === 'remove') {
    const got = hive.inbox(each.agent);
    const { id } = got[each.which % Math.max(1, got.length)] ?? {};
    if (id === undefined) return;
    if (each.op === 'handle') hive.handle(each.agent, id);
    else unlinkSync(join(hive.layout.agent(each.agent as AgentId).inbox, `${id}.json`));
  } else {
    await hive.hive.changeRoster({ op: each.op, agent: each.agent });
  }
}

it('equals what the directory held, at any time of any life', { timeout: 300_000 }, async () => {
  const runs = Number(process.env['HIVEMAIL_REPLAY_RUNS'] ?? 2);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 5 }),
      async (rounds) => {
        const hive = await makePastHive({ hopCap: 1, escalateMs: 1 });
        const known: [string, DirectoryState][] = [];
        for (const round of rounds) {
          for (const each of round) await take(hive, each);
          await hive.route();
          known.push([await moment(), readDirectoryState(hive.dir)]);
        }
        for (const [until, state] of known) expect(await stateAt(hive, until)).toEqual(state);
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
});
