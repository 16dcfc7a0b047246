import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { doorbellPaths } from '../doorbell/paths.ts';
import { type Probe, type ProbeMoment, readProbe } from '../doorbell/probe.ts';
import { listUnread } from '../doorbell/unread.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { acknowledge } from '../hive/mailbox.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { isMessageId } from '../protocol/ids.ts';
import { type SendResult, sendLetter } from './send.ts';

/** Until the end of a probe its letters are held up, also while it is looked at for the last time. */
const ENDING_MS = 60_000;

/** Whose doorbell is tested. */
export interface ProbePlace {
  fs: HiveFs;
  layout: HiveLayout;
  agent: AgentId;
}

/** A probe to begin. */
export interface ProbeToBegin {
  /** The moments that are tested. */
  moments: readonly ProbeMoment[];
  /** Milliseconds since the epoch. */
  now: number;
  timeoutMs: number;
  /** Letters and digits that no other probe has. */
  mark: string;
}

/**
 * Asks the hooks of an agent to tell of the letters of a probe at one moment each.
 * @returns the conversation of each letter, by its moment
 * @throws HivemailError `refused` while another probe is under way
 */
export function beginProbe(place: ProbePlace, asked: ProbeToBegin): Record<string, ProbeMoment> {
  const { moments, now, timeoutMs, mark } = asked;
  const { doorbell } = place.layout.agent(place.agent);
  const { inbox, probe: path } = pathsOf(place);
  const seen = readProbe(path, now);
  if (seen.state === 'under-way') {
    const message = `The doorbell of ${place.agent} is being tested, until ${toTimestamp(seen.probe.until)} at the latest. Wait for that.`;
    throw new HivemailError('refused', message);
  }
  if (seen.state !== 'none') unlinkIfThere(path);
  const after = listUnread(inbox).filter(isMessageId).at(-1) ?? '';
  const named = Object.fromEntries(
    moments.map((moment) => [`doorbell-probe-${mark}-${moment}`, moment] as const),
  );
  const probe: Probe = { until: now + timeoutMs + ENDING_MS, after, moments: named };
  mkdirSync(doorbell, { recursive: true, mode: 0o700 });
  writeFileSync(path, `${JSON.stringify(probe)}\n`, { flag: 'wx', mode: 0o600 });
  return named;
}

/** Ends a probe: hooks tell of mail as ever, and what is left of its letters counts as handled. */
export function endProbe(place: ProbePlace, ids: readonly string[]): void {
  unlinkIfThere(pathsOf(place).probe);
  for (const id of ids) {
    if (isInInbox(place, id)) acknowledge(place.fs, place.layout, place.agent, id);
  }
}

/** Tells whether a letter is still unhandled. */
export function isInInbox({ fs, layout, agent }: ProbePlace, id: string): boolean {
  return fs.stat(join(layout.agent(agent).inbox, `${id}.json`)) !== undefined;
}

/** Tells whether hooks have said something that the log does not hold yet. */
export function hasUnloggedEvents({ fs, layout, agent }: ProbePlace): boolean {
  try {
    return fs.list(layout.agent(agent).doorbellEvents).some((name) => name.endsWith('.json'));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return false;
  }
}

const AT: Readonly<Record<ProbeMoment, string>> = {
  tool: 'at a tool call',
  'turn-end': 'at the end of a turn',
  idle: 'while you are idle',
};

/**
 * Sends a letter of a probe, from the person who runs it.
 * @returns its id
 * @throws HivemailError `unhealthy` when it was not delivered; nothing of it is left then
 */
export async function sendProbe(
  { fs, layout, agent }: ProbePlace,
  moment: ProbeMoment,
  conversation: string,
): Promise<string> {
  const sent = await sendLetter(
    { fs, layout },
    {
      to: agent,
      act: 'inform',
      subject: `Test of the doorbell ${AT[moment]}`,
      body: `This only tests whether mail reaches you ${AT[moment]}. Ack this letter, as the commands below say, then go on. It needs no answer.`,
      conversation,
    },
    { agent: DESK },
  );
  if (sent.status === 'routed' && sent.row.delivered?.includes(agent) === true) {
    return sent.row.id ?? '';
  }
  throw new HivemailError('unhealthy', problemOf(sent, { layout, agent }));
}

function problemOf(sent: SendResult, { layout, agent }: Omit<ProbePlace, 'fs'>): string {
  if (sent.status === 'routed') {
    const { outcome, code } = sent.row;
    return `The letter of the test did not reach ${agent}: ${outcome}${code === undefined ? '' : ` (${code})`}. \`hivemail log\` and \`hivemail doctor\` tell more.`;
  }
  const wasTaken = !unlinkIfThere(join(layout.agent(DESK).outbox, sent.file));
  const left = wasTaken ? ' It may still come; then it can be acked.' : '';
  return `The router did not take the letter of the test within 5 seconds.${left} \`hivemail status\` says how it stands.`;
}

function pathsOf({ layout, agent }: ProbePlace): ReturnType<typeof doorbellPaths> {
  return doorbellPaths(layout.agent(agent).root);
}

/** @returns whether it was there */
function unlinkIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    return false;
  }
}
