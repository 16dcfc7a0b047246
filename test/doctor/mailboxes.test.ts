import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { makeScene } from './scene.ts';

describe('directories of a mailbox', () => {
  it('are made again where they are missing, with nothing else changed', async () => {
    const { look, fix, agent, write } = await makeScene();
    rmSync(agent('coder').inbox, { recursive: true });
    rmSync(agent('human').sent, { recursive: true });
    const letter = write('agents/coder/outbox/a.json', '{}');
    expect(await look('mailboxes')).toMatchObject([
      { level: 'warning', what: 'Missing: agents/coder/inbox, agents/human/outbox/.sent.' },
    ]);
    expect(await fix('mailboxes')).toMatchObject([{ done: true }]);
    expect(existsSync(agent('human').sent)).toBe(true);
    // One finding at a time: what lies below a missing directory is known when that one is there.
    expect(await look('mailboxes')).toMatchObject([{ what: 'Missing: agents/coder/inbox/.done.' }]);
    await fix('mailboxes');
    expect(await look('mailboxes')).toMatchObject([{ level: 'ok' }]);
    expect(readFileSync(letter, 'utf8')).toBe('{}');
  });

  it('are an error as a file or a link, and never replaced', async () => {
    const { look, fix, agent } = await makeScene();
    const outside = tempDir();
    rmSync(agent('coder').outbox, { recursive: true });
    symlinkSync(outside, agent('coder').outbox);
    rmSync(agent('planner').inbox, { recursive: true });
    writeFileSync(agent('planner').inbox, 'mine');
    expect(await look('mailboxes')).toMatchObject([
      { level: 'error', what: 'agents/planner/inbox is a file and not a directory.' },
      { level: 'error', what: 'agents/coder/outbox is a symbolic link and not a directory.' },
    ]);
    expect(await fix('mailboxes')).toEqual([]);
    expect(readFileSync(agent('planner').inbox, 'utf8')).toBe('mine');
  });
});

describe('outboxes', () => {
  it('show what is no letter by its name, what is temporary, and what is no file', async () => {
    const { look, write, agent } = await makeScene();
    write('agents/coder/outbox/letter.txt', 'x');
    write('agents/coder/outbox/sub/a.json', 'x');
    write('agents/planner/outbox/a.json.tmp', 'x');
    symlinkSync('/etc/hostname', join(agent('god').outbox, 'link.json'));
    execFileSync('mkfifo', [join(agent('god').outbox, 'pipe.json')]);
    const findings = await look('outboxes');
    expect(findings.map(({ level }) => level)).toEqual(['note', 'note', 'note']);
    const [kinds, strays, temporary] = findings.map(({ what }) => what);
    expect(kinds).toContain('agents/god/outbox/link.json');
    expect(kinds).toContain('agents/god/outbox/pipe.json');
    expect(strays).toContain('agents/coder/outbox/letter.txt');
    expect(strays).toContain('agents/coder/outbox/sub/');
    expect(temporary).toBe('Temporary by its name: agents/planner/outbox/a.json.tmp.');
  });

  it('count the letters that wait', async () => {
    const { look, write } = await makeScene();
    write('agents/coder/outbox/a.json', '{}');
    write('agents/human/outbox/b.JSON', '{}');
    write('agents/coder/outbox/.tmp-1.json', '{}');
    expect(await look('outboxes')).toMatchObject([
      { level: 'ok', what: expect.stringContaining('2 letters to be routed') },
    ]);
  });

  it('are named when they hold more than is put in order', async () => {
    const { look, agent } = await makeScene();
    for (let n = 0; n <= 5000; n++) writeFileSync(join(agent('coder').outbox, `${n}.json`), '');
    expect(await look('outboxes')).toMatchObject([
      { level: 'note', what: 'More than 5000 entries: agents/coder/outbox.' },
    ]);
  });
});

describe('inboxes', () => {
  it('show what their owner can’t read as a message', async () => {
    const { look, write, agent } = await makeScene();
    const whole = {
      ...{
        id: '1m8pyqzvp000-jgvvao4d',
        conversation: 'c',
        in_reply_to: null,
        from: 'god',
        to: 'coder',
      },
      ...{
        act: 'inform',
        subject: 's',
        body: 'b',
        hops: 0,
        requires_reply: false,
        needs_human: false,
      },
      created_at: '2026-11-30T17:19:11.123Z',
    };
    write('agents/coder/inbox/1m8pyqzvp000-jgvvao4d.json', whole);
    expect(await look('inboxes')).toMatchObject([
      { level: 'ok', what: '1 unhandled letter, all readable.' },
    ]);
    write('agents/coder/inbox/half.json', JSON.stringify(whole).slice(0, 50));
    symlinkSync('/etc/hostname', join(agent('human').inbox, 'link.json'));
    expect(await look('inboxes')).toMatchObject([
      {
        level: 'warning',
        what: 'Not readable as a message: agents/coder/inbox/half.json (no message), agents/human/inbox/link.json (ELOOP).',
      },
    ]);
  });
});

describe('agents and directories', () => {
  it('differ where an agent has no directory, which is made', async () => {
    const { look, fix, agent } = await makeScene();
    rmSync(agent('coder').root, { recursive: true });
    rmSync(agent('human').root, { recursive: true });
    expect(await look('agents')).toMatchObject([
      { level: 'warning', what: 'In the roster, but without a directory: coder, human.' },
    ]);
    expect(await fix('agents')).toMatchObject([{ done: true }]);
    expect(existsSync(agent('coder').sent)).toBe(true);
    expect(existsSync(agent('human').identity)).toBe(false);
    expect(await look('agents')).toMatchObject([{ level: 'ok' }]);
  });

  it('differ where a directory has no agent, which nobody makes up', async () => {
    const { look, fix, write } = await makeScene();
    write('agents/stranger/outbox/a.json', '{}');
    write('agents/No Agent/outbox/a.json', '{}');
    write('agents/README.md', 'no directory');
    expect(await look('agents')).toMatchObject([
      {
        level: 'warning',
        what: 'Of no agent in the roster: agents/No Agent, agents/stranger.',
        advice: expect.stringContaining('`hivemail agent add stranger`'),
      },
    ]);
    expect(await fix('agents')).toEqual([]);
  });

  it('are an error where a link or file stands instead of the directory', async () => {
    const { look, agent } = await makeScene();
    rmSync(agent('coder').root, { recursive: true });
    symlinkSync(agent('planner').root, agent('coder').root);
    expect(await look('agents')).toMatchObject([
      { level: 'error', what: 'No directory: agents/coder.' },
    ]);
  });
});

describe('repositories of agents', () => {
  it('are noted, and harmless', async () => {
    const { look, write } = await makeScene();
    write('agents/coder/.git/HEAD', 'x');
    write('agents/planner/work/.git', 'gitdir: elsewhere');
    const [finding, ...more] = await look('nested-repositories');
    expect(more).toEqual([]);
    expect(finding?.level).toBe('note');
    expect(finding?.what).toContain('agents/coder/.git');
    expect(finding?.what).toContain('agents/planner/work/.git');
  });
});
