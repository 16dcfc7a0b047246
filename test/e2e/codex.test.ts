// needs: git
/**
 * Two real Codex sessions, a planner and a coder, exchange a letter and its answer through the built
 * program and a running router, as on a user's machine; only the model is played by a script. Each
 * session acts with Codex's own shell tool, and knows what to do from what that tool shows it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Child, runChild, startChild } from '../clients/child.ts';
import { installCodex, runCodex } from '../clients/codex.ts';
import { scrubbedEnvironment } from '../clients/environment.ts';
import { startStubModel } from '../clients/stub-model.ts';
import type { Decide, Turn } from '../clients/turn.ts';
import { clientTestsWanted } from '../clients/wanted.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const HIVEMAIL = join(import.meta.dirname, '../../dist/cli/hivemail.cjs');
const INSTALL_LIMIT_MS = 10 * 60_000;
const ROUTER_LIMIT_MS = 150_000;
const ARRIVAL = { timeout: 10_000, interval: 50 };

const REQUEST = {
  to: 'coder',
  act: 'request',
  subject: 'Tests for the parser',
  body: 'Please write tests for the parser; the empty file comes first.',
};
const ANSWER = {
  act: 'done',
  subject: 'Re: Tests for the parser',
  body: 'Done: eleven tests, and the empty file comes first.',
};

describe.skipIf(!clientTestsWanted('Codex'))('two Codex sessions', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    if (!existsSync(HIVEMAIL)) {
      throw new Error('There is no dist/cli/hivemail.cjs. Run `npm run build` before these tests.');
    }
    await installCodex();
  }, INSTALL_LIMIT_MS);

  it('exchange a letter and its answer, and leave both in the log and the history', async () => {
    const place = preparePlace(tempDir());
    await init(place);
    await using router = await startRouter(place);

    const plannerTurns = await runAgent('planner', place, writeRequestAfterProtocol);
    const protocol = readFileSync(join(place.hive, 'PROTOCOL.md'), 'utf8');
    expect(plannerTurns[1]?.toolOutput).toContain(protocol.trim());
    const request = await arrived('coder', place, router);
    expect(request).toMatchObject({ ...REQUEST, from: 'planner', in_reply_to: null, hops: 0 });
    expect(request).toMatchObject({ requires_reply: true, needs_human: false });
    expect(filesIn(place, 'planner', 'outbox')).toEqual([]);
    expect(filesIn(place, 'planner', 'outbox/.sent')).toEqual([`${request.id}.request.json`]);

    await runAgent('coder', place, answerFirstLetter);
    const answer = await arrived('planner', place, router);
    const { id: in_reply_to, conversation } = request;
    expect(answer).toMatchObject({ ...ANSWER, from: 'coder', to: 'planner', hops: 1 });
    expect(answer).toMatchObject({ in_reply_to, conversation, requires_reply: false });
    expect(filesIn(place, 'coder', 'inbox')).toEqual([]);
    expect(filesIn(place, 'coder', 'inbox/.done')).toEqual([`${request.id}.json`]);

    await vi.waitFor(() => expect(letterRows(place)).toHaveLength(2), ARRIVAL);
    const outcome = { outcome: 'delivered', code: 'delivered' };
    expect(letterRows(place)).toMatchObject([
      { id: request.id, from: 'planner', to: ['coder'], act: 'request', ...outcome },
      { id: answer.id, from: 'coder', to: ['planner'], act: 'done', in_reply_to, ...outcome },
    ]);

    router.signal('SIGTERM');
    expect(await router.result()).toMatchObject({ exitCode: 0, signal: null, timedOut: false });
    const history = execFileSync('git', ['-C', place.hive, 'log', '-p'], { env: place.env });
    expect(history.toString()).toContain(REQUEST.body);
    expect(history.toString()).toContain(ANSWER.body);
  });
});

/** Plays a planner that reads the protocol first and writes a letter only once it has seen it. */
function writeRequestAfterProtocol({ toolOutputs }: Turn): ReturnType<Decide> {
  const [protocol] = toolOutputs;
  if (protocol === undefined) return { shell: 'cat "$HIVEMAIL_HIVE/PROTOCOL.md"' };
  if (!protocol.includes('outbox')) throw new Error(`This is no protocol:\n${protocol}`);
  if (toolOutputs.length === 1) return { shell: writeLetter('request.json', REQUEST) };
  return { text: 'I have asked the coder.' };
}

/** Plays a coder that lists its inbox, reads the first letter, answers it and files it as handled. */
function answerFirstLetter({ toolOutputs }: Turn): ReturnType<Decide> {
  const [listing, letter] = toolOutputs;
  const inbox = '"$HIVEMAIL_HIVE/agents/$HIVEMAIL_AGENT/inbox"';
  if (listing === undefined) return { shell: `ls -1 ${inbox}` };
  const name = /[^\s/]+\.json/.exec(listing)?.[0];
  if (name === undefined) throw new Error(`There is no letter in the inbox:\n${listing}`);
  if (letter === undefined) return { shell: `cat ${inbox}/${name}` };
  const { id, from } = JSON.parse(/\{[^]*\}/.exec(letter)?.[0] ?? letter) as Delivered;
  const answer = { ...ANSWER, to: from, in_reply_to: id };
  if (toolOutputs.length === 2) return { shell: writeLetter('answer.json', answer) };
  if (toolOutputs.length === 3) return { shell: `mv ${inbox}/${name} ${inbox}/.done/` };
  return { text: 'I have answered the planner.' };
}

function writeLetter(name: string, letter: object): string {
  const path = `"$HIVEMAIL_HIVE/agents/$HIVEMAIL_AGENT/outbox/${name}"`;
  return `cat > ${path} <<'LETTER'\n${JSON.stringify(letter, undefined, 2)}\nLETTER`;
}

type AgentName = 'planner' | 'coder';

const TASKS: Record<AgentName, string> = {
  planner: 'send coder a letter that asks for tests of the parser',
  coder: 'answer the letters in your inbox, and move each you have handled to .done',
};

/** The folders of one run, and the environment of all that is started there. */
interface Place {
  hive: string;
  project: string;
  homeOf(agent: AgentName): string;
  env: NodeJS.ProcessEnv;
}

interface Delivered {
  id: string;
  from: string;
  conversation: string;
}

function preparePlace(dir: string): Place {
  const project = join(dir, 'project');
  mkdirSync(project);
  return {
    hive: join(dir, 'hive'),
    project,
    homeOf: (agent) => join(dir, `home-of-${agent}`),
    env: scrubbedEnvironment({ HOME: dir }),
  };
}

function hivemail({ project, env }: Place, ...args: string[]) {
  const timeLimitMs = ROUTER_LIMIT_MS;
  return { file: process.execPath, args: [HIVEMAIL, ...args], cwd: project, env, timeLimitMs };
}

async function init(place: Place): Promise<void> {
  const agents = ['--agents', 'god,planner,coder'];
  const result = await runChild(hivemail(place, 'init', place.hive, ...agents));
  expect(result).toEqual({ ...result, exitCode: 0 });
}

function startRouter(place: Place): Promise<Child> {
  return startChild(hivemail(place, 'up', place.hive));
}

/** Runs a Codex session as an agent to its end. @returns the turns of its model */
async function runAgent(agent: AgentName, place: Place, decide: Decide): Promise<readonly Turn[]> {
  await using stub = await startStubModel(decide);
  const { hive, project, homeOf } = place;
  const session = await runCodex({
    home: homeOf(agent),
    cwd: project,
    prompt: `You are the agent "${agent}". Read ${hive}/PROTOCOL.md, then ${TASKS[agent]}.`,
    model: stub.url,
    env: { HIVEMAIL_HIVE: hive, HIVEMAIL_AGENT: agent },
  });
  expect(stub.requests().flatMap(({ problem }) => problem ?? [])).toEqual([]);
  expect(session).toEqual({ ...session, exitCode: 0 });
  expect(stub.strays()).toEqual([]);
  return stub.turns();
}

/** Waits for the one letter in an agent's inbox; if none comes, the router's own words say why. */
async function arrived(agent: AgentName, place: Place, router: Child): Promise<Delivered> {
  const name = await vi.waitFor(() => {
    const [only, ...more] = filesIn(place, agent, 'inbox');
    if (only !== undefined && more.length === 0) return only;
    throw new Error(`${agent} has not got one letter. The router says:\n${router.stderr()}`);
  }, ARRIVAL);
  const path = join(place.hive, 'agents', agent, 'inbox', name);
  return JSON.parse(readFileSync(path, 'utf8')) as Delivered;
}

function filesIn({ hive }: Place, agent: AgentName, folder: string): string[] {
  return readdirSync(join(hive, 'agents', agent, folder)).filter((name) => name.endsWith('.json'));
}

function letterRows({ hive }: Place): { kind: string }[] {
  const lines = readFileSync(join(hive, 'log.jsonl'), 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { kind: string });
  return rows.filter(({ kind }) => kind === 'letter');
}
