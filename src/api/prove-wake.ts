/**
 * Proves on a session that runs how mail reaches it: at a tool call, at the end of a turn, while it is
 * idle. One letter of the person's is sent for each, which the hooks tell of at that moment only, and
 * watched until the log says that the session was told and the agent has handled it.
 *
 * What must hold: nothing of a test is left, however it ends; a session is never told of anything by
 * another way than it is told of mail.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { ClientName } from '../doorbell/clients.ts';
import type { DoorbellMode } from '../doorbell/decide.ts';
import { PROBE_MOMENTS, type ProbeMoment } from '../doorbell/probe.ts';
import { readDoorbell } from '../doorbell/read-doorbell.ts';
import { readSessionStatus } from '../doorbell/read-session-status.ts';
import type { SessionStatus } from '../doorbell/session-status.ts';
import { listUnread } from '../doorbell/unread.ts';
import { layoutOf } from '../hive/layout.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { randomTail } from '../hive/random.ts';
import { readRegistry, rosterOf } from '../hive/registry.ts';
import { systemClock } from '../hive/system-clock.ts';
import { followLog } from '../log/follow.ts';
import { logPlace } from '../log/segments.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import { readRouterState, readWakes } from './status.ts';
import {
  beginProbe,
  endProbe,
  hasUnloggedEvents,
  isInInbox,
  type ProbePlace,
  sendProbe,
} from './wake-probe.ts';
import { type MomentProof, WakeProof } from './wake-proof.ts';

/** How a test is made. */
export interface ProveWakeOptions {
  /** Longest time to wait for the session, in milliseconds; at most an hour. */
  timeoutMs: number;
  /** Ends the waiting before its time; what was seen by then is told. */
  signal: AbortSignal;
  /** Told when the letters are sent and the waiting begins. */
  onSent?: (session: ProvenSession) => void;
}

/** The session that is tested. */
export interface ProvenSession {
  agent: AgentId;
  client: ClientName;
  mode: DoorbellMode;
  /** How it stood. */
  status: SessionStatus;
}

/** What a test has shown. */
export interface WakeReport extends ProvenSession {
  moments: MomentProof[];
  /** How the session stands at the end. */
  ended: SessionStatus;
}

const LOOK_MS = 500;
/** A session may be gone for one look: when it is cleared, or while its hooks write. */
const DONE_LOOKS = 2;
/** Rows of what hooks have said come so long after it, in milliseconds, unless the router is in trouble. */
const LOGGED_MS = 10_000;

/**
 * Tests how mail reaches the session of an agent.
 * @param dir - absolute path of the hive
 * @throws HivemailError `unhealthy` without a router, or when letters do not arrive; `not-found` without a
 *   session; `refused` for an agent that gets no mail now, or whose doorbell is being tested
 */
export async function proveWake(
  dir: string,
  agent: AgentId,
  { timeoutMs, signal, onSent }: ProveWakeOptions,
): Promise<WakeReport> {
  const place: ProbePlace = { fs: createNodeFs(), layout: layoutOf(dir), agent };
  const session = requireSession(place);
  const moments = session.mode === 'continue' ? PROBE_MOMENTS : (['tool'] as const);
  const proof = new WakeProof();
  const begun = { moments, timeoutMs, now: systemClock.now(), mark: randomTail() };
  const conversations = beginProbe(place, begun);
  try {
    const from = place.fs.stat(place.layout.log)?.sizeBytes ?? 0;
    await sendAll(place, conversations, proof);
    onSent?.({ ...session, status: statusOf(place) });
    const ended = await watch(place, { proof, from, timeoutMs, signal });
    return { ...session, moments: proof.moments(ended), ended };
  } finally {
    endProbe(place, proof.ids);
  }
}

function requireSession(place: ProbePlace): ProvenSession {
  const { fs, layout, agent } = place;
  if (readRouterState(fs, layout).router === 'down') {
    const message =
      'There is no router up, so no letter reaches anybody. Start one with `hivemail up`, then test again.';
    throw new HivemailError('unhealthy', message);
  }
  const entry = rosterOf(readRegistry(fs, layout.registry)).agents.get(agent);
  if (entry === undefined || entry.archived || entry.onHold || entry.sendOnly) {
    const message = `${agent} gets no mail now: it is archived, on hold or send-only. \`hivemail agent show ${agent}\` says which.`;
    throw new HivemailError('refused', message);
  }
  const status = statusOf(place);
  const { session, problem } = status;
  if (session === undefined || session.activity === 'ended') {
    const seen = problem === undefined ? '' : ` (its doorbell can't be read: ${problem})`;
    const message =
      session === undefined
        ? `No session of ${agent} has shown itself${seen}. Install its hooks with \`hivemail hooks install CLIENT --agent ${agent}\`, start the client anew and write something to it, then test again.`
        : `The last session of ${agent} (${session.client}) has ended. Start one and write something to it, then test again.`;
    throw new HivemailError('not-found', message);
  }
  const mode = readDoorbell(fs, layout, agent)?.mode ?? 'notify';
  return { agent, client: session.client, mode, status };
}

function statusOf({ fs, layout, agent }: ProbePlace): SessionStatus {
  const unread = listUnread(layout.agent(agent).inbox);
  // What of it can't be read, `status` tells.
  const wakes = { last: readWakes(fs, layout, []).get(agent) };
  return readSessionStatus({ fs, layout }, agent, { unread, wakes, now: systemClock.now() }) ?? {};
}

async function sendAll(
  place: ProbePlace,
  conversations: Readonly<Record<string, ProbeMoment>>,
  proof: WakeProof,
): Promise<void> {
  for (const [conversation, moment] of Object.entries(conversations)) {
    const sentAt = systemClock.now();
    proof.noteSent(moment, await sendProbe(place, moment, conversation), sentAt);
  }
}

interface Watching {
  proof: WakeProof;
  /** Where the log ended before the letters were sent. */
  from: number;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Watches until nothing more is to be seen. @returns how the session stands then */
async function watch(place: ProbePlace, watching: Watching): Promise<SessionStatus> {
  const { proof, from, timeoutMs, signal } = watching;
  const finished = new AbortController();
  const following = follow(place, { proof, from, signal: finished.signal });
  try {
    const until = systemClock.monotonic() + timeoutMs;
    const isOver = (): boolean => signal.aborted || systemClock.monotonic() >= until;
    for (let done = 0; !isOver() && done < DONE_LOOKS; ) {
      done = isDone(place, proof) ? done + 1 : 0;
      await lookLater(signal);
    }
    const logged = systemClock.monotonic() + LOGGED_MS;
    const isLogged = (): boolean =>
      !hasUnloggedEvents(place) || systemClock.monotonic() >= logged || signal.aborted;
    while (!isLogged()) await lookLater(signal);
    // The follower has its last look at what was logged meanwhile.
    await lookLater(signal);
    proof.noteInbox((id) => isInInbox(place, id), systemClock.now());
    return statusOf(place);
  } finally {
    finished.abort();
    await following;
  }
}

async function follow(
  { fs, layout }: ProbePlace,
  { proof, from, signal }: Omit<Watching, 'timeoutMs'>,
): Promise<void> {
  const options = { ...logPlace(layout), from, signal, pollMs: LOOK_MS / 4 };
  for await (const row of followLog(fs, options)) proof.noteRow(row);
}

function isDone(place: ProbePlace, proof: WakeProof): boolean {
  const now = systemClock.now();
  proof.noteInbox((id) => isInInbox(place, id), now);
  const status = statusOf(place);
  const { session } = status;
  const isGone = session === undefined || session.activity === 'ended';
  return isGone || proof.isComplete(status, now);
}

async function lookLater(signal: AbortSignal): Promise<void> {
  await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
}
