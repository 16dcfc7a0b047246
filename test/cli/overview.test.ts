import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type DoorbellState, NO_STATE } from '../../src/doorbell/state.ts';
import { writeState } from '../../src/doorbell/state-file.ts';
import { ownIdentity, type ProcessIdentity } from '../../src/hive/process-identity.ts';
import type { HiveStatus, LogRow } from '../../src/index.ts';
import { hivemail, makeHive, type TestHive } from './command-line.ts';

interface Held {
  id: string;
  holder: string;
  code: string;
}

interface Sent {
  id: string;
  outcome: string;
  code: string;
}

function rowsOf(count: number, fields: (seq: number) => Partial<LogRow>): string {
  const row = (seq: number): LogRow => {
    const ts = new Date(1_796_000_000_000 + seq * 60_000).toISOString();
    return { seq, ts, epoch: 1, kind: 'letter', outcome: 'delivered', ...fields(seq) };
  };
  return Array.from({ length: count }, (_, seq) => `${JSON.stringify(row(seq))}\n`).join('');
}

async function send(hive: TestHive, from: string, ...args: string[]): Promise<Sent> {
  return hive.json<Sent>('send', '--agent', from, '--act', 'query', ...args);
}

describe('held and release', () => {
  it('mail to an agent on hold waits in held until the hold ends', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    expect((await hive.cli('held')).stdout).toBe('Nothing is held.\n');
    await hive.cli('agent', 'hold', 'coder');
    const { id, ...sent } = await send(hive, 'planner', '--to', 'coder', '--subject', 'Later');
    expect(sent).toMatchObject({ outcome: 'held', code: 'on-hold' });
    const held = await hive.json<Held[]>('held');
    expect(held).toMatchObject([{ id, holder: 'coder', code: 'on-hold' }]);
    expect((await hive.cli('held')).stdout).toMatch(new RegExp(`${id} +on-hold +\\d+s +planner`));

    const said = await hive.json<{ said: string }>('agent', 'unhold', 'coder');
    expect(said.said).toContain('coder');
    const waited = await hive.cli('wait', '--agent', 'coder', '--timeout', '10');
    expect(waited.stdout).toContain(id);
    expect(await hive.json('held')).toEqual([]);
  });

  it('a letter over the hop limit is held, and released by the beginning of its id', async () => {
    const hive = await makeHive();
    writeFileSync(join(hive.dir, 'hive.json'), '{"hopCap":1}');
    await using _router = await hive.up();
    const first = await send(hive, 'planner', '--to', 'coder', '--subject', '0');
    const second = await send(hive, 'coder', '--reply-to', first.id, '--subject', '1');
    const args = ['--reply-to', second.id, '--act', 'query', '--subject', '2'];
    const over = await hive.cli('send', '--agent', 'planner', ...args);
    expect(over.exitCode).toBe(0);
    expect(over.stdout).toContain('held (hop-cap) for coder');
    expect(over.stdout).toContain('Do not send it again.');
    const [held] = await hive.json<Held[]>('held');

    const released = await hive.cli('release', held?.id.slice(0, 14) ?? '');
    expect(released.stdout).toBe(`${held?.id} is delivered to coder.\n`);
    const path = join(hive.dir, `agents/coder/inbox/${held?.id}.json`);
    await expect.poll(() => existsSync(path), { timeout: 5000 }).toBe(true);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ hops: 0, subject: '2' });
  });

  it('release of what is not held ends with 3', async () => {
    const hive = await makeHive();
    const ran = await hive.cli('release', 'nothing');
    expect(ran).toMatchObject({ exitCode: 3, stdout: '' });
    expect(ran.stderr).toContain('`hivemail held` lists them');
  });
});

describe('log', () => {
  it('shows the last 20 rows, aligned, and so many when told', async () => {
    const hive = await makeHive();
    const row = (seq: number): Partial<LogRow> => ({
      from: 'planner',
      to: ['coder'],
      subject: `${seq}`,
    });
    writeFileSync(join(hive.dir, 'log.jsonl'), rowsOf(3000, row));
    const lines = (await hive.cli('log')).stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(20);
    expect(lines[19]).toMatch(/^2026-12-02 .* delivered +planner → coder +"2999"$/);
    expect(await hive.json<LogRow>('log', '-n', '1')).toMatchObject({ seq: 2999 });
    const all = (await hive.cli('log', '-n', '5000')).stdout;
    expect(all.trimEnd().split('\n')).toHaveLength(3000);
  });

  it('filters by kind, agent and time, however far back', async () => {
    const hive = await makeHive();
    const row = (seq: number): Partial<LogRow> =>
      seq === 2
        ? { kind: 'warning', from: 'god', note: 'Disk.' }
        : { from: 'planner', to: ['coder'] };
    writeFileSync(join(hive.dir, 'log.jsonl'), rowsOf(3000, row));
    expect(await hive.json<LogRow>('log', '--kind', 'warning')).toMatchObject({ seq: 2 });
    expect(await hive.json<LogRow>('log', '--agent', 'GOD')).toMatchObject({ seq: 2 });
    const since = new Date(1_796_000_000_000 + 2900 * 60_000).toISOString();
    const late = await hive.cli('log', '--since', since, '--agent', 'coder');
    expect(late.stdout.trimEnd().split('\n')).toHaveLength(100);
    const until = ['--until', new Date(1_796_000_000_000 + 120_000).toISOString()];
    expect((await hive.cli('log', ...until)).stdout.trimEnd().split('\n')).toHaveLength(3);
    const none = await hive.cli('log', '--kind', 'stray');
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr: 'No rows.\n' });
  });

  it.each([
    [['--kind', 'bounced'], '"bounced" is no kind of row'],
    [['--since', 'yesterday-ish'], 'is no time'],
    [['--since', 'today', '--until', 'yesterday'], 'is after --until'],
    [['-n', '-1'], 'whole number'],
  ])('%j is a wrong call', async (args, sentence) => {
    const hive = await makeHive();
    const ran = await hive.cli('log', ...args);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain(sentence);
  });

  it('shows one conversation, and ends following when its time is up', async () => {
    const hive = await makeHive();
    const row = (seq: number): Partial<LogRow> => ({ conversation: `c${seq % 3}`, to: ['coder'] });
    writeFileSync(join(hive.dir, 'log.jsonl'), rowsOf(9, row));
    const until = new Date(1_796_000_000_000 + 7 * 60_000).toISOString();
    const args = ['--json', 'log', '--conversation', 'c1', '--until', until];
    const lines = (await hive.cli(...args)).stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).seq)).toEqual([1, 4, 7]);
    const followed = await hive.cli('log', '-f', '--since', 'now', '--until', 'now');
    expect(followed).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('fits the terminal and is coloured only on one, and not against NO_COLOR', async () => {
    const hive = await makeHive();
    const row = (): Partial<LogRow> => ({
      from: 'planner',
      to: ['coder'],
      subject: 'x'.repeat(200),
    });
    writeFileSync(join(hive.dir, 'log.jsonl'), rowsOf(1, row));
    const args = ['log', '--hive', hive.dir];
    const colored = await hivemail(args, { columns: 60 });
    expect(colored.stdout).toContain('\u001b[32m');
    expect(colored.stdout.replaceAll(/\u001b\[\d+m/g, '').trimEnd()).toHaveLength(60);
    const plain = await hivemail(args, { columns: 60, env: { NO_COLOR: '1' } });
    expect(plain.stdout).not.toContain('\u001b');
    expect((await hivemail(args)).stdout).not.toContain('\u001b');
  });
});

describe('status', () => {
  it('says how to start a router where none is up, and what waits', async () => {
    const hive = await makeHive();
    await hive.cli('send', ...'--agent planner --to coder --act inform --subject x'.split(' '));
    const ran = await hive.cli('status');
    expect(ran.exitCode).toBe(0);
    expect(ran.stdout).toContain(`down; start it with: hivemail up ${hive.dir}`);
    expect(ran.stdout).toMatch(/^planner +active +0 +0 +- +1 +- +- +- +-$/m);
    expect(ran.stdout).toContain('1 letter to send, once a router is up');
  });

  it('names the router, and counts what is unread, due, held and for the person', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    await hive.cli('agent', 'hold', 'coder');
    await send(hive, 'god', '--to', 'human', '--subject', 'Which?');
    await send(hive, 'planner', '--to', 'coder', '--subject', 'Held');
    await send(hive, 'planner', '--to', 'god', '--subject', 'Due');
    const { stdout, exitCode } = await hive.cli('status');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`^router +up, process ${process.pid} on `, 'm'));
    expect(stdout).toMatch(/^god +active +1 +1 +\d+s +0 /m);
    expect(stdout).toMatch(/^coder +on hold/m);
    expect(stdout).toContain('1 letter for the person: hivemail inbox --agent human');
    expect(stdout).toContain('1 letter held back: hivemail held');
    const now = await hive.json<HiveStatus>('status');
    expect(now).toMatchObject({ router: 'up', desk: 1, held: 1, atRisk: false });
  });

  it('shows who owes what, who was seen, and how much passes, as the router told last', async () => {
    const hive = await makeHive();
    const router = await hive.up();
    await send(hive, 'planner', '--to', 'coder', '--subject', 'Which?');
    await router.stop();
    const { stdout } = await hive.cli('status');
    expect(stdout).toMatch(/^AGENT .* TO SEND +OWES +IS OWED +SEEN +SENT$/m);
    expect(stdout).toMatch(/^coder +active +1 +1 +\d+s +0 +1, \d+s +0 +- +-$/m);
    expect(stdout).toMatch(/^planner +active +0 +0 +- +0 +0 +1 +\d+s +\d+s$/m);
    expect(stdout).toMatch(/^mail +1 letter in the last minute, 1 in the last hour, to 1 inbox$/m);
    const now = await hive.json<HiveStatus>('status');
    expect(now.toldAt).toMatch(/Z$/);
    expect(now.agents.find(({ id }) => id === 'coder')?.told).toMatchObject({ owes: 1 });
  });

  it('shows the rest where another program has written fleet.json', async () => {
    const hive = await makeHive();
    const fleet = join(hive.dir, 'fleet.json');
    const foreign = { at: 5, rates: { minute: 3 }, agents: { coder: { owes: 'x', lastSeen: 7 } } };
    for (const text of ['{', '[]', '{"agents":[]}', JSON.stringify(foreign)]) {
      writeFileSync(fleet, text);
      const { stdout, exitCode } = await hive.cli('status');
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^coder +active +0 +0 +- +0 +- +- +- +-$/m);
      expect(stdout).not.toMatch(/^mail/m);
    }
  });

  it('shows how sessions stand, what waits for a person, and what was not announced', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const { id } = await send(hive, 'planner', '--to', 'coder', '--subject', 'Told');
    await send(hive, 'planner', '--to', 'god', '--subject', 'Not told');
    const now = Date.now();
    const session = (process: ProcessIdentity) =>
      ({ client: 'claude', session: 's', process, heardAt: now - 5000, place: {} }) as const;
    const ring = (agent: string, state: Partial<DoorbellState>) =>
      writeState(join(hive.dir, `agents/${agent}/.doorbell/state`), 0, { ...NO_STATE, ...state });
    ring('coder', {
      ...{ holder: session(ownIdentity()), told: [id], toldAt: now - 90_000 },
      ...{ activity: 'busy', activeAt: now - 12_000 },
      dialog: { what: 'to allow Bash \u001b[31m', since: now - 190_000 },
    });
    ring('god', {
      holder: session({ ...ownIdentity(), startedAt: '1' }),
      activeAt: now - 3_700_000,
    });
    const { stdout, exitCode } = await hive.cli('status');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^AGENT .* TO SEND .* TOLD +SESSION$/m);
    expect(stdout).toMatch(/^coder +active .* 1m +claude, busy 12s$/m);
    expect(stdout).toMatch(/^god +active .* - +claude, ended; seen \ds ago$/m);
    expect(stdout).toMatch(/^planner +active .* - +-$/m);
    expect(stdout).toContain(
      'coder needs a person: to allow Bash \\u001b[31m, 3m (in its claude session)\n',
    );
    expect(stdout).toContain(
      'god: 1 letter delivered, not announced: its session has ended; start one\n',
    );
    expect(stdout).not.toContain('coder: ');
    const { agents } = await hive.json<HiveStatus>('status');
    const [coder, god, planner] = ['coder', 'god', 'planner'].map((name) =>
      agents.find((agent) => agent.id === name),
    );
    expect(coder?.doorbell?.dialog?.what).toContain('to allow Bash');
    expect(god?.doorbell?.unannounced).toEqual({ letters: 1, why: 'ended' });
    expect(planner?.doorbell).toBeUndefined();
  });

  it('ends with 6 and says what to do while a promise is at risk', async () => {
    const hive = await makeHive();
    await using router = await hive.up();
    writeFileSync(join(hive.dir, 'registry.json'), '{"agents":');
    router.nudge();
    const health = join(hive.dir, '.router/health.json');
    await expect
      .poll(() => readFileSync(health, 'utf8'), { timeout: 8000 })
      .toContain('"state": "red"');
    const ran = await hive.cli('status');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toMatch(/^health +red/m);
    expect(ran.stdout).toContain(': registry.json is not valid JSON');
  });

  it('ends with 6 and names an inbox that can not be read', async () => {
    const hive = await makeHive();
    const inbox = join(hive.dir, 'agents/coder/inbox');
    renameSync(inbox, `${inbox}-away`);
    writeFileSync(inbox, '');
    const ran = await hive.cli('status');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toContain("The inbox of coder can't be read (ENOTDIR)");
    expect(ran.stdout).toMatch(/^planner +active/m);
  });

  it.each(['health.json', 'wakes.json'])(
    'ends with 6 and names a %s that can not be read',
    async (name) => {
      const hive = await makeHive();
      await using _router = await hive.up();
      const path = join(hive.dir, '.router', name);
      rmSync(path, { force: true });
      mkdirSync(path);
      const ran = await hive.cli('status');
      expect(ran.exitCode).toBe(6);
      expect(ran.stdout).toContain(`can't be read (EINVAL): ${path}. Take away`);
      expect(ran.stdout).toMatch(/^planner +active/m);
      rmdirSync(path);
    },
  );

  it('names what stands in the place of a file, and who knows more', async () => {
    const hive = await makeHive();
    const path = join(hive.dir, 'registry.json');
    rmSync(path);
    mkdirSync(path);
    const ran = await hive.cli('status');
    expect(ran.exitCode).toBe(1);
    expect(ran.stderr).toContain(`not a regular file: ${path}`);
    expect(ran.stderr).toContain('`hivemail doctor`');
    const looked = await hive.cli('doctor');
    expect(looked.stdout).toContain('Something else stands where this should');
  });

  it('ends with 6 when the router is up and has fallen silent', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    const path = join(hive.dir, '.router/health.json');
    const health = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...health, at: '2026-01-01T00:00:00.000Z' }));
    const ran = await hive.cli('status');
    expect(ran.exitCode).toBe(6);
    expect(ran.stdout).toContain('kill -CONT');
  });
});

describe('what letters and files hold', () => {
  const hostile = 'A\u001b]0;owned\u0007\u009b31m\u202eB\u200b\r';
  const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz';
  const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202e]/;

  it('never reaches the terminal as a control character, and secrets are hidden', async () => {
    const hive = await makeHive();
    await using _router = await hive.up();
    await hive.cli('agent', 'set', 'coder', '--name', hostile, '--role', hostile);
    await hive.cli('agent', 'hold', 'planner');
    const said = ['--subject', `${hostile} ${secret}`, '--body', `${hostile}\n${secret}`];
    const { id } = await send(hive, 'coder', '--to', 'god', ...said);
    await send(hive, 'coder', '--to', 'planner', ...said);
    appendFileSync(
      join(hive.dir, 'log.jsonl'),
      rowsOf(1, () => ({ note: hostile, from: hostile })),
    );
    const shows = [
      ['inbox', '--agent', 'god'],
      ['inbox', '--agent', 'god', '--bodies'],
      ['read', id, '--agent', 'god'],
      ['log'],
      ['held'],
      ['status'],
      ['agent', 'list'],
      ['agent', 'show', 'coder'],
      ['agent', 'env', 'coder'],
    ];
    for (const args of shows) {
      const { stdout, stderr, exitCode } = await hive.cli(...args);
      expect({ args, exitCode }).toEqual({ args, exitCode: 0 });
      expect(stdout + stderr).not.toMatch(unsafe);
      expect(stdout + stderr).not.toContain(secret);
      const json = await hive.cli(...args, '--json');
      expect(json.stdout).not.toMatch(unsafe);
    }
    const raw = await hive.cli('read', id, '--agent', 'god', '--raw');
    expect(raw.stdout).not.toMatch(unsafe);
    expect(JSON.parse(raw.stdout)).toMatchObject({ body: `${hostile}\n${secret}` });
    const shown = await hive.cli('read', id, '--agent', 'god');
    expect(shown.stderr).toContain('--raw');
  });

  it('never reaches the terminal through what a caller hands back', async () => {
    const hive = await makeHive();
    for (const args of [['read', hostile, '--agent', 'god'], ['release', hostile], [hostile]]) {
      const { stderr, exitCode } = await hive.cli(...args);
      expect(exitCode).toBeGreaterThan(0);
      expect(stderr).not.toMatch(unsafe);
    }
  });
});
