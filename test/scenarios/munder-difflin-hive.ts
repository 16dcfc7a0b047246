/**
 * A hive as Munder Difflin leaves it when it is closed, written from its source (`src/main/hive.ts`):
 * everything that is there, and nothing that only Hivemail makes.
 */
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A message as that system wrote it; the sender's other fields were dropped, `to` is as addressed. */
export interface OldMessage {
  id: string;
  from: string;
  to: string;
  act: string;
  hops?: number;
  in_reply_to?: string | null;
  conversation?: string;
}

/** Names its messages: the time with dashes, and six hexadecimal digits. */
export const oldId = (second: number, tail = 'a1b2c3') =>
  `2026-05-30T14-03-${String(second).padStart(2, '0')}-123Z-${tail}`;

const REGISTRY = {
  godId: 'god',
  schemaNote: 'kept by nobody we know',
  agents: {
    god: agent('god', 'Michael', { isGod: true, role: 'orchestrator', sessionId: '5f1c' }),
    'agent-mb3k2x': agent('agent-mb3k2x', 'Jim', { role: 'frontend', seat: { x: 4, y: 7 } }),
    'worker-req-17': agent('worker-req-17', 'Pam', { role: 'backend', tokenCap: 250_000 }),
    'prep-1': agent('prep-1', 'Dwight', { isAssistant: true, role: 'assistant' }),
    'agent-old': agent('agent-old', 'Ryan', { archived: true, cwdValid: false }),
  },
};

function agent(id: string, name: string, more: Record<string, unknown>): Record<string, unknown> {
  return {
    id,
    name,
    provider: 'claude',
    role: 'worker',
    capabilities: ['typescript'],
    cwd: '/home/person/project',
    isGod: false,
    isAssistant: false,
    status: 'idle',
    lastSeen: 1_780_149_791_123,
    archived: false,
    onHold: false,
    cwdValid: true,
    accent: 'coral',
    ...more,
  };
}

const LOG = [
  { ts: 1_780_149_700_001, kind: 'spawn', agentId: 'god', name: 'Michael', isGod: true },
  {
    ts: 1_780_149_701_001,
    kind: 'message',
    from: 'god',
    to: 'broadcast',
    act: 'inform',
    delivered: ['agent-mb3k2x'],
  },
  {
    ts: 1_780_149_702_001,
    kind: 'terminal-handoff',
    from: 'god',
    to: 'worker-req-17',
    delivered: true,
  },
  { ts: '2026-05-30T14:03:11.123Z', type: 'drop', reason: 'hop-cap', id: oldId(1) },
  { ts: 1_780_149_703_001, kind: 'letter', outcome: 7, to: 'god', delivered: false },
];

/** Makes such a hive. */
export function makeMunderDifflinHive(dir: string): void {
  const put = (name: string, content: unknown) => {
    mkdirSync(join(dir, name, '..'), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content, undefined, 2);
    writeFileSync(join(dir, name), text);
  };
  put('registry.json', REGISTRY);
  put(
    'PROTOCOL.md',
    '# Hive protocol\n\nYou are one of several Claude agents sharing this hive.\n',
  );
  put('COMMANDS.md', '# Commands\n');
  put('board.md', '# Hive board\n\n- [x] ship it\n');
  put('tasks.json', { tasks: [{ id: 't1', title: 'Ship', status: 'doing', humanQA: [] }] });
  put('.gitignore', 'fleet.json\nhooks.sock\n');
  put('cost-ledger.jsonl', '{"usd":1}\n');
  put('bin/cth-hook.cjs', '// shim\n');
  put('spawn-requests/.done/r.json', { objective: 'x' });
  put('log.jsonl', `${LOG.map((row) => JSON.stringify(row)).join('\n')}\n`);
  for (const id of Object.keys(REGISTRY.agents)) putAgent(id, put);
  const jim = 'agents/agent-mb3k2x';
  put(`${jim}/outbox/.sent/reply.json`, { to: 'god', act: 'done', body: 'done' });
  put(`${jim}/outbox/.sent/bad-broken.json`, '{"to": "god", ');
  putMessage(dir, `${jim}/inbox`, {
    id: oldId(11),
    from: 'god',
    to: 'agent-mb3k2x',
    act: 'request',
    hops: 4,
    conversation: 'conv-7f3',
  });
  putMessage(dir, `${jim}/inbox/.done`, {
    id: oldId(10),
    from: 'god',
    to: 'broadcast',
    act: 'inform',
  });
  putMessage(dir, `${jim}/inbox/.done`, {
    id: oldId(12),
    from: 'worker-req-17',
    to: 'agent-mb3k2x',
    act: 'done',
    hops: 2,
  });
  putMessage(dir, `${jim}/inbox/.done`, {
    id: oldId(13),
    from: 'god',
    to: 'agent-mb3k2x',
    act: 'query',
    hops: 12,
  });
  putMessage(dir, `${jim}/inbox/.done`, {
    id: oldId(14),
    from: 'god',
    to: 'agent-mb3k2x',
    act: 'query',
    conversation: 'a thread with spaces',
  });
  putMessage(dir, 'agents/god/inbox', {
    id: 'chosen-by-the-agent',
    from: 'worker-req-17',
    to: 'human',
    act: 'query',
  });
  putMessage(dir, 'agents/agent-old/inbox', {
    id: oldId(20),
    from: 'god',
    to: 'agent-old',
    act: 'yell',
  });
  commitAll(dir);
  appendFileSync(join(dir, 'log.jsonl'), '{"ts":1780149791123,"kind":"mess');
}

function putAgent(id: string, put: (name: string, content: unknown) => void): void {
  const at = `agents/${id}`;
  put(`${at}/identity.md`, `# ${id}\n`);
  put(`${at}/memory.md`, `# Memory — ${id}\n\n- a fact\n`);
  put(`${at}/cursor.json`, { lastProcessed: oldId(10) });
  put(`${at}/.gitignore`, 'settings.json\ncursor.json\ninbox/\noutbox/\n');
  put(`${at}/settings.json`, { hooks: {} });
  put(`${at}/.claude/skills/x/SKILL.md`, '# Skill\n');
  put(`${at}/inbox/.done/.keep`, '');
  put(`${at}/outbox/.sent/.keep`, '');
}

/** Puts a message into an inbox as that system delivers it. */
export function putMessage(dir: string, inbox: string, message: OldMessage): void {
  const whole = {
    conversation: `conv-${message.id.slice(-3)}`,
    in_reply_to: null,
    subject: `Old ${message.id}`,
    body: 'An old body.',
    hops: 0,
    requires_reply: ['request', 'query', 'propose'].includes(message.act),
    needs_human: message.to === 'human',
    created_at: '2026-05-30T14:03:11.123Z',
    ...message,
  };
  writeFileSync(join(dir, inbox, `${message.id}.json`), JSON.stringify(whole, undefined, 2));
}

/** Runs git as that system does, with a repository of the hive's own. */
export function git(cwd: string, ...args: string[]): string {
  const who = ['-c', 'user.name=md', '-c', 'user.email=md@localhost', '-c', 'commit.gpgsign=false'];
  const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', [...who, ...args], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
}

function commitAll(dir: string): void {
  git(dir, 'init', '-q', '-b', 'main');
  git(dir, 'add', '-A');
  git(dir, 'commit', '-q', '-m', 'hive: init');
  git(dir, 'commit', '-q', '--allow-empty', '-m', 'hive: routed 3 message(s)');
}

/** Every file below a directory with its content, but those under the names given. */
export function filesOf(dir: string, without: readonly string[] = []): Map<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(dir, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(dir.length + 1);
    const isLeftOut = without.some((each) => name === each || name.startsWith(`${each}/`));
    if (entry.isFile() && !isLeftOut) files.set(name, readFileSync(path, 'latin1'));
  }
  return files;
}
