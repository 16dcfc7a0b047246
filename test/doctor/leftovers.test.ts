import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { runOnce, systemClock } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { createIdSource, type MessageId } from '../../src/protocol/ids.ts';
import { copyName } from '../../src/routing/plan.ts';
import { formatClaimName } from '../../src/spool/claim-name.ts';
import { closeEpoch, openEpoch } from '../../src/spool/epoch.ts';
import { deferredName } from '../../src/spool/publish.ts';
import { makeScene, NOW, type Scene } from './scene.ts';

const { next } = createIdSource({ now: () => NOW, random: () => 'abcdefgh' });
const fs = createNodeFs();
const agent = (id: string): AgentId => id as AgentId;

async function epochOf({ layout }: Scene) {
  mkdirSync(layout.router, { recursive: true });
  return openEpoch({ fs, layout }, { after: 4, tail: '77abcdefgh' });
}

function claim(sender: string, file: string): string {
  return formatClaimName({ id: next(), sender: agent(sender), file });
}

const plan = (batch: MessageId) => ({
  version: 1,
  batch,
  moves: [],
  copies: [],
  rows: [],
  records: [],
});

describe('what a router start has left', () => {
  it('is told in plain words, with whose it is', async () => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    const [batch, first, second] = [next(), next(), next()];
    const at = (...path: string[]) => join('.router', epoch.name, ...path);
    scene.write(at('claim', claim('planner', 'task.json')), '{}');
    scene.write(at('claim', claim('human', 'answer.json')), '{}');
    scene.write(at('owed', batch, 'plan.json'), plan(batch));
    scene.write(at('owed', batch, copyName(first, agent('coder'), 'inbox')), '{}');
    scene.write(at('deferred', deferredName(next(), copyName(second, agent('god'), 'held'))), '{}');
    scene.write(at('stage', next(), 'plan.json'), '{}');
    const [finding, ...more] = await scene.look('leftovers');
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      level: 'warning',
      means: expect.stringContaining('not deleted'),
    });
    expect(finding?.what).toBe(
      `.router/${epoch.name} holds 2 letters taken out of an outbox (task.json of planner, answer.json of human); ` +
        '1 batch decided on and not finished; ' +
        `1 copy to deliver (${first} for coder); ` +
        `1 copy that an inbox could not take (${second} for god); ` +
        '1 batch in the making, to be decided on anew.',
    );
  });

  it('is told of a fenced start too, and as nothing when no mail lies in it', async () => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    scene.write(join('.router', `${epoch.name}.f`, 'claim', claim('coder', 'b.json')), '{}');
    expect((await scene.look('leftovers')).map(({ level, what }) => [level, what])).toEqual([
      [
        'note',
        `.router/${epoch.name} is left of a router that did not stop cleanly; no mail lies in it.`,
      ],
      [
        'warning',
        `.router/${epoch.name}.f holds 1 letter taken out of an outbox (b.json of coder).`,
      ],
    ]);
    closeEpoch(fs, epoch);
    rmSync(join(scene.layout.router, `${epoch.name}.f`), { recursive: true });
    expect(await scene.look('leftovers')).toMatchObject([{ level: 'ok' }]);
  });

  it.each([
    ['damaged', '{"version": 1,'],
    ['of another version', '{"version": 2}'],
    ['missing', undefined],
  ])('is an error when the plan of a batch is %s, with the copies named', async (_, text) => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    const [batch, id] = [next(), next()];
    const place = join('.router', epoch.name, 'owed', batch);
    if (text !== undefined) scene.write(join(place, 'plan.json'), text);
    scene.write(join(place, copyName(id, agent('coder'), 'inbox')), '{}');
    const [, bad] = await scene.look('leftovers');
    expect(bad).toMatchObject({ level: 'error', what: `${place} has no plan that can be read.` });
    expect(bad?.means).toContain(`${id} for coder`);
  });

  it('is no worry as an empty batch directory, which the next router removes', async () => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    mkdirSync(join(epoch.owed, next()));
    expect((await scene.look('leftovers')).filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is told when no router has put it there', async () => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    scene.write(join('.router', epoch.name, 'claim', 'letter.json'), '{}');
    expect(await scene.look('leftovers')).toMatchObject([
      { level: 'note' },
      {
        level: 'warning',
        what: expect.stringMatching(/^No router put this into .*claim: letter\.json\.$/),
      },
    ]);
  });

  it('is not told while a router elsewhere may be at it', async () => {
    const scene = await makeScene();
    const epoch = await epochOf(scene);
    scene.write(join('.router', epoch.name, 'claim', claim('coder', 'b.json')), '{}');
    const owner = { pid: 7, epoch: epoch.number, token: 'x', since: 'x' };
    scene.write('.router/owner.json', { ...owner, host: 'elsewhere.example' });
    expect(await scene.look('leftovers')).toMatchObject([{ level: 'ok' }]);
    scene.write('.router/owner.json', { ...owner, host: hostname(), ended: 'x' });
    expect(await scene.look('leftovers')).toMatchObject([{ level: 'warning' }]);
  });
});

describe('.router that was deleted', () => {
  it('is nothing to tell of after a clean stop', async () => {
    const scene = await makeScene();
    await runOnce({ dir: scene.dir, clock: systemClock });
    rmSync(scene.layout.router, { recursive: true });
    const findings = await scene.look();
    expect(findings.filter(({ check }) => check === 'leftovers')).toMatchObject([{ level: 'ok' }]);
    expect(findings.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is warned of after a crash, with what the log says was still owed', async () => {
    const scene = await makeScene();
    const [late, owed] = [next(), next()];
    const rows = [
      { kind: 'router', code: 'start' },
      { kind: 'letter', id: late, to: ['coder'], owed: ['coder'] },
      { kind: 'letter', id: owed, to: ['god', 'coder'], delivered: ['god'], owed: ['coder'] },
      { kind: 'late', id: late, to: ['coder'] },
    ];
    const lines = rows.map((row, seq) => `${JSON.stringify({ seq, ts: 'x', epoch: 1, ...row })}\n`);
    scene.write('log.jsonl', lines.join(''));
    rmSync(scene.layout.router, { recursive: true });
    const [finding] = await scene.look('leftovers');
    expect(finding?.level).toBe('warning');
    expect(finding?.what).toContain(`By the log it still owed ${owed} for coder.`);
    expect(finding?.what).not.toContain(late);
  });
});

describe('originals, batches and letters that are kept', () => {
  it('are told when an original has no place in a .sent', async () => {
    const scene = await makeScene();
    const path = scene.write('.router/unfiled/coder/x-a.json', '{}');
    expect(await scene.look('unfiled')).toMatchObject([
      { level: 'warning', what: '1 original in .router/unfiled/: coder/x-a.json.' },
    ]);
    expect(statSync(path).size).toBe(2);
  });

  it('are moved into a .sent that takes them again, over no file that is there', async () => {
    const scene = await makeScene();
    scene.write('.router/unfiled/coder/x-a.json', '{}');
    scene.write('.router/unfiled/coder/x-b.json', 'unfiled');
    scene.write('agents/coder/outbox/.sent/x-b.json', 'filed');
    expect(await scene.fix('unfiled')).toMatchObject([{ check: 'unfiled' }]);
    const text = (name: string) => readFileSync(join(scene.layout.root, name), 'utf8');
    expect(text('agents/coder/outbox/.sent/x-a.json')).toBe('{}');
    expect(text('agents/coder/outbox/.sent/x-b.json')).toBe('filed');
    expect(text('.router/unfiled/coder/x-b.json')).toBe('unfiled');
  });

  it('are counted in the queue of the history, the unreadable ones apart', async () => {
    const scene = await makeScene();
    for (const name of ['a.json', 'b.json', 'c.json.unreadable'])
      scene.write(`.router/history/${name}`, '{}');
    expect(await scene.look('history')).toMatchObject([
      { level: 'warning', what: '1 batch in .router/history/ can’t be read: c.json.unreadable.' },
      { level: 'note', what: '2 batches not in the history yet.' },
    ]);
  });

  it('are counted in held by holder and code, what can’t be released apart', async () => {
    const scene = await makeScene();
    const put = (holder: string, code: string, name?: string) => {
      const id = next();
      const message = {
        ...{ id, conversation: 'c', in_reply_to: null, from: 'god', to: holder, act: 'inform' },
        ...{ subject: 's', body: 'b', hops: 0, requires_reply: false, needs_human: false },
        ...{ created_at: 'x', held: { code, at: 'x' } },
      };
      scene.write(`held/${holder}/${name ?? id}.json`, message);
    };
    put('coder', 'hop-cap');
    put('coder', 'hop-cap');
    put('human', 'on-hold');
    put('coder', 'hop-cap', 'another-name');
    put('No Agent', 'hop-cap', undefined);
    scene.write('held/god/x.json', '{');
    const [held, bad] = await scene.look('held');
    expect(held).toMatchObject({
      level: 'note',
      what: '3 letters held back (2 for coder: hop-cap, 1 for human: on-hold).',
    });
    expect(bad?.level).toBe('warning');
    expect(bad?.what).toContain('held/coder/another-name.json');
    expect(bad?.what).toContain('held/No Agent/');
    expect(bad?.what).toContain('held/god/x.json');
  });
});
