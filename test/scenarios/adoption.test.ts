import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TEMPLATE_DIR } from '../../src/hive/init.ts';
import { createHive, openHive } from '../../src/index.ts';
import { startRouter } from '../../src/router/daemon.ts';
import { HiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { filesOf, git, makeMunderDifflinHive, oldId } from './munder-difflin-hive.ts';

const JIM = 'agent-mb3k2x';
const PAM = 'worker-req-17';
/** What the router writes of what was there: the history and the log. */
const ROUTERS = ['.git', 'log.jsonl'];

function oldHive(parent = tempDir()): string {
  const dir = join(parent, 'hive');
  mkdirSync(dir);
  makeMunderDifflinHive(dir);
  return dir;
}

/** A router on such a hive, after its first passes. */
async function adopt(dir = oldHive()): Promise<HiveBench> {
  const bench = new HiveBench(dir);
  onTestFinished(() => bench.close());
  await bench.open();
  await bench.run();
  return bench;
}

/** Letters of Hivemail in an inbox, without what the old system left there. */
const newIn = (bench: HiveBench, agent: string) =>
  bench.inbox(agent).filter(({ created_at }) => !created_at.startsWith('2026-05-30'));

/** The rows as every reader of the log gets them. */
const rowsOf = (bench: HiveBench) => [...openHive(bench.dir).rows()];
const letterRows = (bench: HiveBench) => rowsOf(bench).filter(({ kind }) => kind === 'letter');

/** Every file that was there is there as it was; returns what was added. */
function addedTo(dir: string, before: Map<string, string>): string[] {
  const after = filesOf(dir, [...ROUTERS, '.git.before-hivemail', '.router']);
  for (const [name, content] of before) expect([name, after.get(name)]).toEqual([name, content]);
  return [...after.keys()].filter((name) => !before.has(name)).sort();
}

const ADDED = ['PROTOCOL.md.new', 'hive.json'];

describe('A hive of Munder Difflin', () => {
  it('is completed by a router, and no byte of it is changed', async () => {
    const dir = oldHive();
    const before = filesOf(dir, ROUTERS);
    const bench = await adopt(dir);
    expect(addedTo(dir, before)).toEqual(ADDED);
    const shipped = readFileSync(join(TEMPLATE_DIR, 'PROTOCOL.md'), 'utf8');
    expect(bench.read('PROTOCOL.md.new')).toBe(shipped);
    for (const place of ['inbox/.done', 'outbox/.sent']) {
      expect(readdirSync(join(dir, 'agents/human', place))).toEqual([]);
    }
    expect(bench.list('held')).toEqual([]);
    const warnings = rowsOf(bench).filter(({ kind }) => kind === 'warning');
    expect(warnings.map(({ note }) => note).join('\n')).toMatch(/PROTOCOL\.md\.new/);
  });

  it('is completed by `init` in the same way, which says so', async () => {
    const dir = oldHive();
    const before = filesOf(dir, ROUTERS);
    const result = await createHive(dir, { agents: ['x'], orchestrator: 'x' });
    expect(result).toMatchObject({
      created: false,
      agents: ['god', JIM, PAM, 'prep-1', 'agent-old'],
    });
    expect(result.notes.join()).toMatch(/PROTOCOL\.md\.new/);
    expect(addedTo(dir, before)).toEqual(ADDED);
    expect((await createHive(dir, { agents: [] })).notes).toEqual([]);
  });

  it('is run by the daemon, which tells of what it did in its rows', async () => {
    const dir = oldHive();
    const notes: (string | undefined)[] = [];
    const router = await startRouter({ dir, onRow: ({ note }) => notes.push(note), watch: false });
    await router.stop();
    expect(notes.join('\n')).toMatch(/PROTOCOL\.md\.new/);
    const written = [...openHive(dir).rows()].map(({ note }) => note).join('\n');
    expect(written).toMatch(/\.git\.before-hivemail/);
  });

  it('is not changed by a second start, nor told of again', async () => {
    const bench = await adopt();
    await bench.recorded();
    await bench.run();
    const before = filesOf(bench.dir, ['.router', ...ROUTERS]);
    const told = rowsOf(bench).filter(({ kind }) => kind === 'warning').length;
    await bench.restart();
    await bench.settle();
    expect(filesOf(bench.dir, ['.router', ...ROUTERS])).toEqual(before);
    expect(rowsOf(bench).filter(({ kind }) => kind === 'warning')).toHaveLength(told);
    expect(bench.list().filter((name) => name.startsWith('.git'))).toEqual([
      '.git',
      '.git.before-hivemail',
      '.gitignore',
    ]);
  });

  it('has nothing delivered or announced again', async () => {
    const bench = await adopt();
    await bench.settle();
    expect(letterRows(bench)).toEqual([]);
    expect(rowsOf(bench).filter(({ kind }) => kind === 'notice')).toEqual([]);
    expect(bench.inbox(JIM).map(({ id }) => id)).toEqual([oldId(11)]);
  });

  it('has what waits in an outbox delivered, as any letter', async () => {
    const dir = oldHive();
    writeFileSync(
      join(dir, 'agents', JIM, 'outbox/waiting.json'),
      '{"to":"Pam","act":"request","body":"Now."}',
    );
    const bench = await adopt(dir);
    expect(newIn(bench, PAM)).toMatchObject([{ from: JIM, to: PAM, body: 'Now.', hops: 0 }]);
  });

  it('keeps its rows in the log; new ones count from 1 and begin a line of their own', async () => {
    const dir = oldHive();
    const before = readFileSync(join(dir, 'log.jsonl'), 'utf8');
    const bench = new HiveBench(dir);
    onTestFinished(() => bench.close());
    await bench.open();
    bench.write(JIM, { to: PAM, act: 'inform', body: 'B' });
    await bench.run();
    await bench.restart();
    await bench.run();
    const text = bench.read('log.jsonl');
    expect(text.startsWith(`${before}\n`)).toBe(true);
    const seqs = text
      .slice(before.length)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, place) => place + 1));
    const read = [...openHive(dir).rows()];
    expect(read.map(({ seq }) => seq)).toEqual(seqs);
  });

  it('keeps the old repository and its history, and begins a bare one', async () => {
    const dir = oldHive();
    const tip = git(dir, 'rev-parse', 'HEAD');
    const bench = await adopt(dir);
    bench.write(JIM, { to: PAM, act: 'inform', subject: 'first', body: 'B' });
    await bench.run();
    expect(await bench.recorded()).toBe(true);
    const old = ['--git-dir', join(dir, '.git.before-hivemail')];
    expect(git(dir, ...old, 'rev-parse', 'HEAD')).toBe(tip);
    expect(git(dir, ...old, 'log', '--format=%s')).toBe('hive: routed 3 message(s)\nhive: init\n');
    expect(git(dir, ...old, 'fsck', '--strict')).toBe('');
    expect(git(dir, ...old, 'show', 'HEAD:board.md')).toBe(bench.read('board.md'));
    expect(git(dir, 'config', 'core.bare')).toBe('true\n');
    expect(git(dir, 'log', '--format=%B')).toMatch(/first/);
  });

  it('inside a work tree is kept out of `git add` there', async () => {
    const outer = tempDir();
    git(outer, 'init', '-q');
    writeFileSync(join(outer, 'a.txt'), 'a');
    const bench = await adopt(oldHive(outer));
    git(outer, 'add', '-A');
    expect(git(outer, 'status', '--porcelain')).toBe('A  a.txt\n');
    expect(
      rowsOf(bench)
        .map(({ note }) => note)
        .join('\n'),
    ).toMatch(/info\/exclude/);
  });
});

describe('The roster of a hive of Munder Difflin', () => {
  it('keeps every field that Hivemail does not know, over a change', async () => {
    const bench = await adopt();
    const before = JSON.parse(bench.read('registry.json'));
    expect(await bench.change({ op: 'rename', agent: JIM, name: 'James' })).toMatch(/James/);
    await bench.change({ op: 'add', agent: 'kevin', fields: {} });
    const { kevin, ...agents } = JSON.parse(bench.read('registry.json')).agents;
    expect(kevin).toMatchObject({ id: 'kevin' });
    expect({
      ...before,
      agents: { ...before.agents, [JIM]: { ...before.agents[JIM], name: 'James' } },
    }).toEqual({
      ...JSON.parse(bench.read('registry.json')),
      agents,
    });
  });

  it('is read as it was meant: orchestrator, send-only, archived', async () => {
    const bench = await adopt();
    bench.write(JIM, { to: ['human', 'dwight', 'Ryan', 'PAM'], act: 'inform', body: 'B' });
    await bench.run();
    expect(letterRows(bench)).toMatchObject([
      {
        outcome: 'partial',
        delivered: ['god', 'agent-old', PAM],
        failed: { 'prep-1': 'send-only' },
      },
    ]);
    expect(newIn(bench, 'god')).toMatchObject([{ needs_human: true }]);
  });
});

describe('A reply to a message of Munder Difflin', () => {
  async function reply(letter: Record<string, unknown>, agent = JIM) {
    const bench = await adopt();
    bench.write(agent, { body: 'B', ...letter });
    await bench.run();
    const [row] = letterRows(bench);
    return { bench, row };
  }

  it('goes to its sender, one hop deeper, in its conversation', async () => {
    const { bench, row } = await reply({ act: 'done', in_reply_to: oldId(11) });
    expect(row).toMatchObject({ outcome: 'delivered', to: ['god'], hops: 5 });
    expect(newIn(bench, 'god')).toMatchObject([
      { in_reply_to: oldId(11), hops: 5, conversation: 'conv-7f3' },
    ]);
  });

  it('that has been handled counts hops as well, up to the cap', async () => {
    const { row } = await reply({ act: 'inform', in_reply_to: oldId(13) });
    expect(row).toMatchObject({ outcome: 'held', code: 'hop-cap', hops: 13 });
  });

  it('which ended the exchange is refused', async () => {
    const { bench, row } = await reply({ act: 'inform', in_reply_to: oldId(12) });
    expect(row).toMatchObject({ outcome: 'refused', code: 'reply-to-terminal' });
    expect(bench.notices(JIM)).toHaveLength(1);
  });

  it('whose conversation has no name that is allowed begins one of its own', async () => {
    const { row } = await reply({ act: 'inform', in_reply_to: oldId(14) });
    expect(row).toMatchObject({ outcome: 'delivered', hops: 1, conversation: row?.id });
  });

  it('whose id its sender had chosen is a reply like any other', async () => {
    const { row } = await reply({ act: 'inform', in_reply_to: 'chosen-by-the-agent' }, 'god');
    expect(row).toMatchObject({ outcome: 'delivered', to: [PAM], hops: 1 });
  });

  it('that another agent got is a new exchange', async () => {
    const { row } = await reply({ to: 'god', act: 'inform', in_reply_to: oldId(11) }, PAM);
    expect(row).toMatchObject({ outcome: 'delivered', hops: 0, repairs: ['unknown-parent'] });
  });

  it('which is no message by our rules is a new exchange', async () => {
    const { row } = await reply({ to: 'god', act: 'query', in_reply_to: oldId(20) }, 'agent-old');
    expect(row).toMatchObject({ outcome: 'delivered', hops: 0, repairs: ['unknown-parent'] });
  });

  it('which was a broadcast is no broadcast', async () => {
    const { row } = await reply({ to: 'broadcast', act: 'query', in_reply_to: oldId(10) });
    expect(row).toMatchObject({ outcome: 'refused', code: 'broadcast-reply' });
  });

  it('counts on in the letters that follow', async () => {
    const { bench, row } = await reply({ act: 'inform', in_reply_to: oldId(11) });
    bench.write('god', { act: 'query', body: 'B', in_reply_to: row?.id });
    await bench.run();
    const [query] = newIn(bench, JIM);
    await bench.restart();
    bench.write(JIM, { act: 'inform', body: 'B', in_reply_to: query?.id });
    await bench.run();
    // A new job of the orchestrator begins anew; its answer is one deeper.
    expect(letterRows(bench).map(({ hops }) => hops)).toEqual([5, 0, 1]);
  });
});

describe('A hive that lacks something', () => {
  it.each(['board.md', 'tasks.json', 'hive.json', 'PROTOCOL.md'])(
    'gets %s back from the template',
    async (name) => {
      const dir = join(tempDir(), 'hive');
      await createHive(dir, { agents: ['god', 'coder'], orchestrator: 'god' });
      const { unlinkSync } = await import('node:fs');
      unlinkSync(join(dir, name));
      await adopt(dir);
      expect(readFileSync(join(dir, name))).toEqual(readFileSync(join(TEMPLATE_DIR, name)));
    },
  );

  it('keeps lacking its roster: no mail bounces for it, and the health is red', async () => {
    const dir = join(tempDir(), 'hive');
    await createHive(dir, { agents: ['god', 'coder'], orchestrator: 'god' });
    const { unlinkSync } = await import('node:fs');
    const registry = readFileSync(join(dir, 'registry.json'));
    unlinkSync(join(dir, 'registry.json'));
    const bench = await adopt(dir);
    bench.write('god', { to: 'coder', act: 'inform', body: 'B' });
    bench.write('human', { to: 'coder', act: 'inform', body: 'B' });
    await bench.settle();
    expect(bench.list()).not.toContain('registry.json');
    expect(letterRows(bench)).toEqual([]);
    expect(bench.router.health.state).toBe('red');
    writeFileSync(join(dir, 'registry.json'), registry);
    await bench.run();
    expect(bench.inbox('coder')).toHaveLength(2);
    expect(bench.router.health.state).not.toBe('red');
  });
});
