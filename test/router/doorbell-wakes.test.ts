import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type DoorbellState, NO_STATE } from '../../src/doorbell/state.ts';
import type { WakeAnswer } from '../../src/doorbell/wake/answer.ts';
import type { WakeCall } from '../../src/doorbell/wake/call.ts';
import { isWakeLine } from '../../src/doorbell/wake-line.ts';
import { ownIdentity } from '../../src/hive/process-identity.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { DoorbellWakes } from '../../src/router/doorbell-wakes.ts';
import { makeBench, type RouterBench } from '../helpers/router-bench.ts';

const QUEUED: WakeAnswer = { result: 'queued', why: 'queued' };
const NO_PROGRAM: WakeAnswer = { result: 'no-way', why: 'no-program' };

let bench: RouterBench;
let wakes: DoorbellWakes;
let asked: WakeCall[];
let answer: (call: WakeCall) => Promise<WakeAnswer>;
let troubles: unknown[];

beforeEach(async () => {
  bench = await makeBench();
  await bench.start();
  asked = [];
  troubles = [];
  answer = () => Promise.resolve(QUEUED);
  wakes = begin();
});

/** Wakes of the router, or of the one that follows on it. */
function begin(): DoorbellWakes {
  const wake = (call: WakeCall) => {
    asked.push(call);
    return answer(call);
  };
  const onTrouble = (error: unknown): void => void troubles.push(error);
  return new DoorbellWakes(bench.router, { env: { PATH: '/bin' }, onTrouble, wake });
}

/** A session of an agent, idle since just now. */
function idle(agent: string, changes: Partial<DoorbellState> = {}, client = 'codex'): void {
  const { doorbellState, doorbellSettings } = bench.layout.agent(agent as AgentId);
  const now = bench.clock.now();
  const holder = { client, session: `s-${agent}`, process: ownIdentity(), heardAt: now, place: {} };
  bench.files.write(doorbellSettings, '{"mode":"continue"}');
  const state = { ...NO_STATE, holder, activeAt: now, ...changes };
  bench.files.write(join(doorbellState, '0000000001.json'), JSON.stringify(state));
}

async function deliver(...agents: string[]): Promise<void> {
  bench.write(bench.list('agents').includes('god') ? 'god' : 'a0', `${bench.clock.now()}.json`, {
    to: agents,
    act: 'inform',
    body: 'x',
  });
  await bench.pass();
  wakes.noteRows(bench.told.splice(0));
}

/** What was answered is taken in. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

async function look(): Promise<string[]> {
  const before = asked.length;
  wakes.look();
  await settled();
  return asked.slice(before).map(({ holder }) => holder.session);
}

const wakeRows = () => bench.rows().filter(({ kind }) => kind === 'wake');

describe('the wakes of a router', () => {
  it('are asked for once a letter is delivered to an idle session, with one fixed line', async () => {
    idle('coder');
    await deliver('coder');
    expect(await look()).toEqual(['s-coder']);
    expect(asked[0]).toMatchObject({ codexHomes: [], env: { PATH: '/bin' } });
    expect(isWakeLine(asked[0]?.line)).toBe(true);
    expect(asked[0]?.line).toContain('coder');
  });

  it('stand in the log, and in what the next router reads', async () => {
    idle('coder');
    await deliver('coder');
    await look();
    await bench.pass();
    expect(wakeRows()).toMatchObject([
      { to: ['coder'], code: 'queued', note: expect.stringMatching(/^codex: a wake waits/) },
    ]);
    expect(JSON.parse(wakes.format())).toMatchObject({ coder: { session: 's-coder', asked: 1 } });
  });

  it('are asked for again only on the ladder while nothing shows that they came', async () => {
    idle('coder');
    await deliver('coder');
    await look();
    const gaps: number[] = [];
    let lastMs = 0;
    for (let ms = 5000; ms <= 2_400_000; ms += 5000) {
      bench.passTime(5000);
      if (ms % 60_000 === 0) await deliver('coder');
      if ((await look()).length === 0) continue;
      gaps.push(ms - lastMs);
      lastMs = ms;
    }
    expect(gaps).toEqual([60_000, 300_000, 1_800_000]);
  });

  it('are asked for anew in another idle time', async () => {
    idle('coder');
    await deliver('coder');
    await look();
    bench.passTime(3000);
    idle('coder', { told: bench.inbox('coder').map(({ id }) => id), toldAt: bench.clock.now() });
    expect(await look()).toEqual([]);
    await deliver('coder');
    expect(await look()).toEqual(['s-coder']);
    // What was told of and is left lying is reminded of, as by every hook.
    bench.passTime(3000);
    idle('coder', { told: bench.inbox('coder').map(({ id }) => id), toldAt: bench.clock.now() });
    bench.passTime(59_000);
    expect(await look()).toEqual([]);
    bench.passTime(6000);
    expect(await look()).toEqual(['s-coder']);
  });

  it.each<[string, Partial<DoorbellState>]>([
    ['is busy', { activity: 'busy' }],
    ['asks a person', { dialog: { what: 'to allow Bash', since: 1 } }],
    ['rests', { continued: 3 }],
    ['has a waiter', { waiter: ownIdentity() }],
    ['has none', { holder: undefined }],
  ])('are not asked for where the session %s', async (_, changes) => {
    idle('coder', changes);
    await deliver('coder');
    expect(await look()).toEqual([]);
  });

  it('are not asked for where the process of the session is gone, or not known', async () => {
    const gone = { ...ownIdentity(), startedAt: '1' };
    const holder = {
      client: 'codex',
      session: 's',
      heardAt: bench.clock.now(),
      place: {},
    } as const;
    idle('coder', { holder: { ...holder, process: gone } });
    idle('planner', { holder });
    await deliver('coder', 'planner');
    expect(await look()).toEqual([]);
  });

  it('are not asked for in mode notify, for other clients, for agents on hold, and with nothing unread', async () => {
    idle('coder');
    bench.files.write(bench.layout.agent('coder' as AgentId).doorbellSettings, '{}');
    idle('tester', {}, 'gemini');
    idle('planner');
    await deliver('coder', 'tester', 'planner');
    bench.setAgent('planner', { onHold: true });
    await bench.pass();
    expect(await look()).toEqual([]);
    bench.setAgent('planner', { onHold: false });
    await bench.pass();
    bench.handle('ack');
    expect(await look()).toEqual([]);
  });

  it('are asked for where keystrokes are the only way, if the agent’s settings allow them', async () => {
    const { doorbellSettings } = bench.layout.agent('coder' as AgentId);
    const place = { TMUX: '/tmp/tmux-1/default,1,0', TMUX_PANE: '%1' };
    const holder = {
      client: 'gemini',
      session: 's',
      process: ownIdentity(),
      heardAt: 1,
      place,
    } as const;
    idle('coder', { holder });
    await deliver('coder');
    expect(await look()).toEqual([]);
    bench.files.write(doorbellSettings, '{"mode":"continue","tmux":true}');
    bench.passTime(6000);
    expect(await look()).toEqual(['s']);
    expect(asked[0]).toMatchObject({ mayType: true, tmuxSockets: [] });
    // What the session is at this moment, not what it was.
    expect(asked[0]?.current()).toMatchObject({ activity: 'idle' });
    idle('coder', { holder, activity: 'busy' });
    expect(asked[0]?.current()).toMatchObject({ activity: 'busy' });
  });

  it('come to every session in turn, though nothing is delivered', async () => {
    idle('coder');
    idle('tester');
    await deliver('coder', 'tester');
    wakes = begin();
    const seen: string[] = [];
    for (let second = 0; second < 6; second += 1) {
      seen.push(...(await look()));
      bench.passTime(1000);
    }
    expect(seen.sort()).toEqual(['s-coder', 's-tester']);
  });

  it('cost next to nothing for agents that have no doorbell', async () => {
    const agents = Array.from({ length: 40 }, (_, number) => `a${number}`);
    bench = await makeBench({ agents });
    await bench.start();
    await bench.pass();
    wakes = begin();
    await look();
    const looksAt = (): number =>
      bench.fs.operations.filter(({ path }) => path?.endsWith('.doorbell')).length;
    const before = looksAt();
    bench.passTime(1500);
    await look();
    expect(looksAt() - before).toBeLessThanOrEqual(8);
    // One that begins later is found all the same.
    idle('a39');
    await deliver('a39');
    expect(await look()).toEqual(['s-a39']);
  });

  it('are asked for two at a time, and no session twice; a client that hangs holds up nothing', async () => {
    const release: (() => void)[] = [];
    answer = () => new Promise((resolve) => release.push(() => resolve(QUEUED)));
    idle('coder');
    await deliver('coder');
    expect(await look()).toEqual(['s-coder']);
    await deliver('coder');
    expect(await look()).toEqual([]);
    for (const end of release.splice(0)) end();
    await settled();
    asked.splice(0);
    bench.passTime(3000);
    const agents = ['god', 'planner', 'coder', 'tester'];
    for (const agent of agents) idle(agent);
    bench.write('coder', 'a.json', { to: 'god', act: 'inform', body: 'x' });
    await deliver('planner', 'coder', 'tester');
    expect(await look()).toHaveLength(2);
    bench.passTime(5000);
    expect(await look()).toEqual([]);
    // Mail flows meanwhile.
    await deliver('tester');
    expect(bench.inbox('tester')).toHaveLength(2);
    for (const end of release.splice(0)) end();
    await settled();
    expect(await look()).toHaveLength(2);
    for (const end of release.splice(0)) end();
    expect(new Set(asked.map(({ holder }) => holder.session)).size).toBe(4);
    await wakes[Symbol.asyncDispose]();
  });

  it('say once what is in the way', async () => {
    answer = () => Promise.resolve(NO_PROGRAM);
    for (let idleTime = 0; idleTime < 3; idleTime += 1) {
      idle('coder');
      await deliver('coder');
      expect(await look()).toEqual(['s-coder']);
      bench.passTime(2000);
    }
    await bench.pass();
    expect(wakeRows()).toMatchObject([{ code: 'no-way', note: expect.stringMatching(/PATH/) }]);
  });

  it('that were queued are known to the next router; what was in the way is tried again', async () => {
    answer = ({ holder }) => Promise.resolve(holder.session === 's-coder' ? QUEUED : NO_PROGRAM);
    idle('coder');
    idle('tester');
    await deliver('coder', 'tester');
    expect(await look()).toHaveLength(2);
    bench.files.write(bench.layout.wakes, wakes.format());
    wakes = begin();
    bench.passTime(5000);
    expect(await look()).toEqual(['s-tester']);
    bench.files.write(bench.layout.wakes, 'not JSON');
    wakes = begin();
    bench.passTime(5000);
    expect((await look()).sort()).toEqual(['s-coder', 's-tester']);
  });

  it('end with the router, and tell nobody of it', async () => {
    answer = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    idle('coder');
    await deliver('coder');
    expect(await look()).toEqual(['s-coder']);
    await wakes[Symbol.asyncDispose]();
    expect([troubles, wakes.record('coder' as AgentId)]).toEqual([[], undefined]);
    bench.passTime(5000);
    expect(await look()).toEqual([]);
  });

  it('that fail in a way nobody thought of are told of, and tried again', async () => {
    answer = () => Promise.reject(new TypeError('a fault'));
    idle('coder');
    await deliver('coder');
    await look();
    expect(troubles).toMatchObject([{ message: 'a fault' }]);
    answer = () => Promise.resolve(QUEUED);
    bench.passTime(5000);
    await vi.waitFor(async () => expect(await look()).toEqual(['s-coder']));
  });

  it('pass over a doorbell that can not be read', async () => {
    idle('coder');
    await deliver('coder');
    const { doorbellState } = bench.layout.agent('coder' as AgentId);
    bench.files.unlink(join(doorbellState, '0000000001.json'));
    bench.files.write(join(doorbellState, '0000000001.json', 'x'), '');
    expect(await look()).toEqual([]);
    expect(troubles).toEqual([]);
  });
});
