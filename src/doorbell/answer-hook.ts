/**
 * One call of a client's hook, from what happened to what is printed.
 *
 * Invariants: what is told is remembered before it is printed, under a number that only one of several
 * hooks running side by side can take, so nothing is told twice; letters are read after that, so what was
 * handled meanwhile is not told of. Everything is bounded: no step waits for another process.
 */
import { commandLineOf } from '../hive/process-command-line.ts';
import { randomTail } from '../hive/random.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { showDigest } from '../protocol/show-digest.ts';
import type { HookAnswer, Payload } from './clients/client.ts';
import { CLIENTS, type ClientName } from './clients.ts';
import { agentCommand } from './command.ts';
import { type Decision, decide, type Ring } from './decide.ts';
import { leaveEvent } from './events.ts';
import { clientProcess, mayHold } from './holder.ts';
import type { Signal } from './moment.ts';
import { type DoorbellPaths, doorbellPaths } from './paths.ts';
import { listTellable, tellingMoment } from './probe.ts';
import { readDoorbellSettings } from './settings.ts';
import type { DoorbellState, Holder } from './state.ts';
import { readState, writeState } from './state-file.ts';
import { readUnread } from './unread.ts';

/** A call of a hook. */
export interface HookCall {
  client: ClientName;
  /** By the client's own name. */
  event: string;
  payload: Payload;
  /** Absolute path of the hive. */
  hive: string;
  agent: AgentId;
  /** Absolute path of the agent's directory. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Process that called the hook. */
  parent: number;
  /** Absolute path of hivemail's launcher. */
  launcher: string;
  /** Milliseconds since the epoch. */
  now: number;
  /** Ends a call that takes too long by throwing; asked between the steps until something is told. */
  checkTime(): void;
  /** A waiter asks: since the event nothing has happened in the session. */
  idle?: boolean | undefined;
}

/** What is printed, and for a person who asks, why. */
export interface HookResult {
  answer: HookAnswer;
  why: string;
  /** Whether it tells of mail. */
  rang: boolean;
}

const TRIES = 8;
const SMALL_BODY = 200;

/** Answers a hook. Throws whatever the disk throws; then there is nothing to say. */
export function answerHook(call: HookCall): HookResult {
  const client = CLIENTS[call.client];
  const signal = readSignal(call);
  const silence = signal?.wake === true ? (client.decline ?? client.quiet) : client.quiet;
  const quiet = (why: string): HookResult => ({ answer: silence, why, rang: false });
  if (signal === undefined) return quiet(`${call.event} does not concern the doorbell`);
  if (signal.subagent) return quiet('a subagent reads no mail');
  const taken = takeNews(call, signal);
  if (typeof taken === 'string') return quiet(taken);
  // From here on it is remembered as told: whatever goes wrong now must not keep it back.
  const letters = readLetters(taken);
  if (letters.length === 0) return quiet('what was to be told of has been handled meanwhile');
  const digest = digestOf(call, taken, letters);
  leaveAnnounced(call, taken, { signal, ids: letters.map(({ id }) => id) });
  const answer = client.ring(call.event, signal.moment, digest);
  return { answer, why: taken.ring.why, rang: true };
}

function readSignal({ client, event, payload, idle }: HookCall): Signal | undefined {
  const signal = CLIENTS[client].readSignal(event, payload);
  return signal !== undefined && idle === true ? { ...signal, moment: 'idle' } : signal;
}

/** News that this call and no other is to tell of. */
interface News {
  ring: Ring;
  paths: DoorbellPaths;
  unread: number;
}

/** Decides and remembers; a sentence when there is nothing to tell. */
function takeNews(call: HookCall, signal: Signal): News | string {
  const paths = doorbellPaths(call.root);
  const { mode } = readDoorbellSettings(paths.settings);
  for (let tries = 0; tries < TRIES; tries += 1) {
    call.checkTime();
    const { number, state } = readState(paths.state);
    const holder = holderOf(call, signal, state);
    if (!mayHold(state.holder, holder, { moment: signal.moment, now: call.now })) {
      return `another live session (${state.holder?.client}) reads the mail of ${call.agent}`;
    }
    const unread = listTellable(paths, { signal, told: state.told, now: call.now });
    call.checkTime();
    const occasion = { signal, holder, unread, mode, now: call.now };
    const decision = decide(state, occasion);
    if (!remember(paths, { number, before: state, decision })) continue;
    if (state.dialog === undefined && decision.state.dialog !== undefined)
      leaveNeed(call, paths, decision);
    if (decision.ring !== undefined) return { ring: decision.ring, paths, unread: unread.length };
    return reasonOf(decision, unread);
  }
  return 'other hooks were faster';
}

function remember(
  paths: DoorbellPaths,
  { number, before, decision }: { number: number; before: DoorbellState; decision: Decision },
): boolean {
  const isSame = JSON.stringify(before) === JSON.stringify(decision.state);
  return isSame || writeState(paths.state, number, decision.state);
}

/** The session that calls; its process is only looked for when it may not be the one that is known. */
function holderOf(call: HookCall, signal: Signal, { holder }: DoorbellState): Holder {
  const isKnown = holder?.session === signal.session && holder.client === call.client;
  // At its start it may have been resumed, by another process in another terminal.
  if (isKnown && signal.moment !== 'start') return holder;
  const names = [...CLIENTS[call.client].place, 'TMUX', 'TMUX_PANE'];
  const place = names.flatMap((name) => {
    const value = call.env[name];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const { cwd } = call.payload;
  const client = clientProcess(call.parent);
  return {
    client: call.client,
    session: signal.session,
    process: client,
    shared: client !== undefined && isServer(call.client, client.pid) ? true : undefined,
    heardAt: call.now,
    place: Object.fromEntries([...place, ['cwd', typeof cwd === 'string' ? cwd : process.cwd()]]),
  };
}

function isServer(client: ClientName, pid: number): boolean {
  const { server } = CLIENTS[client];
  return server?.test(commandLineOf(pid)?.join(' ') ?? '') === true;
}

function reasonOf({ state }: Decision, unread: readonly string[]): string {
  if (unread.length === 0) return 'nothing is unread';
  if (state.dialog !== undefined) return 'a person has to decide something first';
  return `nothing new among ${unread.length} unread, and no reminder is due now`;
}

function readLetters({ ring, paths }: News): Message[] {
  return ring.ids.flatMap((id) => readUnread(paths.inbox, id) ?? []);
}

function digestOf(call: HookCall, { ring, paths, unread }: News, letters: Message[]): string {
  const { agent, now } = call;
  return showDigest(
    {
      agent,
      inbox: paths.inbox,
      letters,
      unread,
      reminder: ring.why === 'reminder',
      command: agentCommand(call),
    },
    { now, nonce: randomTail(), bodyLength: SMALL_BODY },
  );
}

function leaveAnnounced(
  call: HookCall,
  { ring, paths }: News,
  { signal, ids }: { signal: Signal; ids: string[] },
): void {
  const { client, event } = call;
  const said = { client, event, moment: tellingMoment(signal), why: ring.why, ids };
  leave(call, paths, (at) => ({ kind: 'announced', at, ...said }));
}

function leaveNeed(call: HookCall, paths: DoorbellPaths, { state }: Decision): void {
  const what = state.dialog?.what ?? 'a decision';
  leave(call, paths, (at) => ({ kind: 'needs-human', at, client: call.client, what }));
}

function leave(
  { now, agent }: HookCall,
  paths: DoorbellPaths,
  event: (at: string) => Parameters<typeof leaveEvent>[2],
): void {
  if (agent === DESK) return;
  try {
    leaveEvent(paths.events, `${now}-${randomTail()}`, event(new Date(now).toISOString()));
  } catch (error) {
    // The log then lacks a row, which is better than a session that hears of nothing.
    if (systemCode(error) === undefined) throw error;
  }
}
