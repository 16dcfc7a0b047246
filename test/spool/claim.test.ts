import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../src/hive/settings.ts';
import { type ClaimContext, claimLetters } from '../../src/spool/claim.ts';
import { parseClaimName } from '../../src/spool/claim-name.ts';
import { OutboxScanner } from '../../src/spool/scan.ts';
import { SettleWatch } from '../../src/spool/settle.ts';
import { SlowSenders } from '../../src/spool/slow-senders.ts';
import { failWhere } from '../helpers/faulty-fs.ts';
import { agentId, makeSpool } from './spool-scene.ts';

const LETTER = '{"to":"coder","act":"inform","body":"x"}';
const { limits, settle, budget } = defaultSettings();

async function makeOutboxes(...agents: string[]) {
  const scene = await makeSpool(...agents);
  const scanner = new OutboxScanner(scene.fs, scene.layout);
  const watch = new SettleWatch();
  let nowMs = 0;
  const slowSenders = new SlowSenders(() => nowMs);
  /** Time passes with every read of a file from now on. */
  const slowDown = (ms: number) => {
    const { read } = scene.fs;
    scene.fs.read = (...args) => {
      nowMs += ms;
      return read(...args);
    };
  };
  const outbox = (agent: string) => scene.layout.agent(agentId(agent)).outbox;
  const write = (agent: string, name: string, content = LETTER) =>
    scene.files.write(join(outbox(agent), name), content);
  const claim = (changes: Partial<ClaimContext> = {}) => {
    const nowMs = changes.nowMs ?? 0;
    const { candidates } = scanner.scan(agents.map(agentId), changes.budget ?? budget, nowMs);
    const floodLetters = budget.lettersPerPass;
    const context = {
      ...{ ...scene, limits, settle, budget, floodLetters, watch, nextId: scene.ids.next, nowMs },
      slowSenders,
    };
    const result = claimLetters(candidates, { ...context, ...changes });
    watch.endPass();
    slowSenders.endPass();
    for (const candidate of result.stayed) scanner.passOver(candidate);
    for (const agent of result.pending) scanner.keepPending(agent);
    return result;
  };
  const claimedFiles = () =>
    scene.files.list(scene.epoch.claim).map((name) => parseClaimName(name));
  return { ...scene, outbox, write, claim, claimedFiles, slowDown };
}

describe('claiming', () => {
  it('moves ready letters out of the outbox, under names that carry ids in their order', async () => {
    const { files, epoch, outbox, write, claim } = await makeOutboxes('planner');
    write('planner', 'z.json');
    write('planner', 'a.json');
    const { more, pending, ...result } = claim();
    const claimed = result.claimed.map(({ name }) => name);
    expect(claimed.map((name) => parseClaimName(name)?.file)).toEqual(['z.json', 'a.json']);
    expect([...claimed].sort()).toEqual(claimed);
    expect(files.list(epoch.claim).sort()).toEqual(claimed);
    expect(files.list(outbox('planner'))).toEqual(['.sent']);
    expect({ more, pending: [...pending] }).toEqual({ more: false, pending: [] });
  });
  it('claims two letters of the same name as two', async () => {
    const { write, claim, claimedFiles } = await makeOutboxes('planner', 'coder');
    write('planner', 'a.json');
    write('coder', 'a.json');
    claim();
    write('planner', 'a.json');
    claim();
    expect(new Set(claimedFiles().map((parts) => parts?.id)).size).toBe(3);
  });
  it('claims files with names of any bytes and of any length', async () => {
    const { write, claim } = await makeOutboxes('planner');
    write('planner', `${'x'.repeat(250)}.json`);
    write('planner', 'a\udce9.json');
    expect(claim().claimed).toHaveLength(2);
  });
  it('claims what is no file or too large without opening it', async () => {
    const { files, fs, outbox, write, claim } = await makeOutboxes('planner');
    files.link(join(outbox('planner'), 'link.json'), '/dev/zero');
    files.pipe(join(outbox('planner'), 'pipe.json'));
    write('planner', 'large.json', 'x'.repeat(limits.letterBytes + 1));
    fs.restart();
    expect(claim().claimed).toHaveLength(3);
    expect(fs.operations.filter(({ kind }) => kind === 'read')).toEqual([]);
  });
});

describe('a letter that is not ready', () => {
  it.each([
    ['empty', '', settle.openMs],
    ['half written', '{"to":"coder","bo', settle.openMs],
    ['closed but wrong', '{"to":"coder",}', settle.closedMs],
    ['no object', '[1,2]', settle.closedMs],
  ])('stays until it has lain still for long enough: %s', async (_, content, neededMs) => {
    const { write, claim } = await makeOutboxes('planner');
    write('planner', 'a.json', content);
    expect(claim({ nowMs: 0 })).toMatchObject({ claimed: [], more: false });
    expect([...claim({ nowMs: neededMs - 1 }).pending]).toEqual(['planner']);
    expect(claim({ nowMs: neededMs }).claimed).toHaveLength(1);
  });
  it('is taken whole as soon as its writer is done', async () => {
    const { write, claim } = await makeOutboxes('planner');
    write('planner', 'a.json', LETTER.slice(0, 20));
    expect(claim({ nowMs: 0 }).claimed).toEqual([]);
    write('planner', 'a.json', LETTER);
    expect(claim({ nowMs: 10 }).claimed).toHaveLength(1);
  });
  it('is not read again while it does not change', async () => {
    const { fs, write, claim } = await makeOutboxes('planner');
    for (let n = 0; n < 50; n++) write('planner', `${n}.json`, '{"half":');
    claim({ nowMs: 0 });
    fs.restart();
    claim({ nowMs: 5000 });
    expect(fs.operations.filter(({ kind }) => kind === 'read')).toEqual([]);
    expect(claim({ nowMs: settle.openMs }).claimed).toHaveLength(50);
  });
  it('holds up none of the others', async () => {
    const { write, claim, claimedFiles } = await makeOutboxes('planner');
    write('planner', 'half.json', '{');
    write('planner', 'whole.json');
    claim();
    expect(claimedFiles().map((parts) => parts?.file)).toEqual(['whole.json']);
  });
});

describe('the budget of a pass', () => {
  it('takes the one letter of a quiet sender first, and ten of the two thousand of another', async () => {
    const { write, claim, claimedFiles } = await makeOutboxes('flood', 'quiet');
    for (let n = 0; n < 2000; n++) write('flood', `${n}.json`);
    write('quiet', 'one.json');
    const { claimed, more, pending } = claim();
    expect(claimed).toHaveLength(11);
    expect(claimedFiles()[0]).toMatchObject({ sender: 'quiet' });
    expect({ more, pending: [...pending] }).toEqual({ more: true, pending: ['flood'] });
  });
  it('takes of a flood alone what a pass has time for', async () => {
    const { write, claim } = await makeOutboxes('flood', 'quiet');
    for (let n = 0; n < 500; n++) write('flood', `${n}.json`);
    expect(claim().claimed).toHaveLength(100);
    expect(claim({ floodLetters: 30 })).toMatchObject({ more: true });
    expect(claim({ floodLetters: 30 }).claimed).toHaveLength(30);
  });
  it('takes of several floods as much as of one, and is taken by no first of them', async () => {
    const { write, claim, claimedFiles } = await makeOutboxes('a', 'b', 'quiet');
    for (const agent of ['a', 'b']) for (let n = 0; n < 500; n++) write(agent, `${n}.json`);
    for (let n = 0; n < 30; n++) write('quiet', `${n}.json`);
    claim();
    const count = (name: string) => claimedFiles().filter((parts) => parts?.sender === name).length;
    expect([count('quiet'), count('a'), count('b')]).toEqual([30, 15, 15]);
  });
  it('bounds the letters of all senders together, and serves each of them', async () => {
    const agents = Array.from({ length: 10 }, (_, n) => `a${n}`);
    const { write, claim, claimedFiles } = await makeOutboxes(...agents);
    for (const agent of agents) for (let n = 0; n < 60; n++) write(agent, `${n}.json`);
    expect(claim()).toMatchObject({ more: true });
    expect(claimedFiles()).toHaveLength(500);
    expect(new Set(claimedFiles().map((parts) => parts?.sender)).size).toBe(10);
    expect(claim()).toMatchObject({ more: false });
    expect(claimedFiles()).toHaveLength(600);
  });
  it('bounds the bytes, but takes one letter at least', async () => {
    const { write, claim } = await makeOutboxes('planner');
    for (let n = 0; n < 5; n++) write('planner', `${n}.json`);
    expect(claim({ budget: { ...budget, bytesPerPass: 1 } }).claimed).toHaveLength(1);
    const three = LETTER.length * 3;
    expect(claim({ budget: { ...budget, bytesPerPass: three } }).claimed).toHaveLength(3);
  });
});

it('takes no further letter of a sender whose letters have as many bytes as one may have in a pass', async () => {
  const { write, claim, claimedFiles } = await makeOutboxes('large', 'quiet');
  for (let n = 0; n < 5; n++) write('large', `${n}.json`, LETTER.replace('x', 'x'.repeat(500)));
  write('quiet', 'one.json');
  const few = { ...budget, bytesPerSender: 600 };
  expect(claim({ budget: few }).more).toBe(true);
  expect(claimedFiles().map((parts) => parts?.sender)).toEqual(['quiet', 'large', 'large']);
  claim({ budget: few });
  expect(claim({ budget: few }).more).toBe(false);
  expect(claimedFiles()).toHaveLength(6);
});

it('begins no further letter of anyone once slow ones have had their time in a pass', async () => {
  const { write, claim, slowDown } = await makeOutboxes('a', 'b', 'c');
  for (const agent of ['a', 'b', 'c']) for (let n = 0; n < 2; n++) write(agent, `${n}.json`);
  slowDown(60);
  const { claimed, pending, more } = claim();
  expect(claimed).toHaveLength(2);
  expect({ pending: pending.size, more }).toEqual({ pending: 3, more: true });
  expect([claim(), claim(), claim()].map((each) => each.claimed.length)).toEqual([2, 2, 0]);
});

describe('a letter that the machine refuses', () => {
  it('stays in the outbox and is told of, and holds up no other', async () => {
    const { files, outbox, write, claim } = await makeOutboxes('planner');
    write('planner', 'locked.json');
    write('planner', 'open.json');
    files.chmod(join(outbox('planner'), 'locked.json'), { read: false, write: true });
    const result = claim();
    expect(result.trouble).toEqual([{ agent: 'planner', name: 'locked.json', code: 'EACCES' }]);
    expect(result.claimed).toHaveLength(1);
    files.chmod(join(outbox('planner'), 'locked.json'), { read: true, write: true });
    expect(claim({ nowMs: 9000 }).claimed).toHaveLength(1);
  });
  it('is skipped without a word when it is gone by now', async () => {
    const { files, fs, outbox, write, claim } = await makeOutboxes('planner');
    write('planner', 'a.json');
    fs.plan = ({ kind }) => {
      if (kind === 'rename') files.unlink(join(outbox('planner'), 'a.json'));
      return undefined;
    };
    expect(claim()).toMatchObject({ claimed: [], trouble: [], more: false });
  });
  it('is told of when it can not be moved', async () => {
    const { fs, write, claim } = await makeOutboxes('planner');
    write('planner', 'a.json');
    fs.plan = failWhere(({ kind }) => kind === 'rename', 'ENOSPC');
    const result = claim();
    expect(result.trouble).toEqual([{ agent: 'planner', name: 'a.json', code: 'ENOSPC' }]);
    expect([...result.pending]).toEqual(['planner']);
  });
});
