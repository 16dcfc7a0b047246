import {
  type AgentStatus,
  ageOf,
  type SessionStatus,
  type Untold,
  WAKE_REASONS,
} from '../index.ts';

/** Says in a few words how an agent's session stands, for a column: `codex, idle 3m`. */
export function sessionCell({ doorbell }: AgentStatus, nowMs: number): string {
  if (doorbell === undefined) return '-';
  const { session, problem } = doorbell;
  if (problem !== undefined) return `unreadable (${problem})`;
  if (session === undefined) return 'none seen';
  const { client, activity, since, lastSeen } = session;
  if (activity === 'ended') return `${client}, ended; seen ${ageOf(lastSeen, nowMs)} ago`;
  return `${client}, ${activity} ${ageOf(since, nowMs)}`;
}

/** Says when a session was last told of something new, for a column. */
export function toldCell({ doorbell }: AgentStatus, nowMs: number): string {
  const { announcedAt } = doorbell ?? {};
  return announcedAt === undefined ? '-' : ageOf(announcedAt, nowMs);
}

/** Lists what waits for a person, and what was delivered and not announced, a line each. */
export function attentionLines(agents: readonly AgentStatus[], nowMs: number): string[] {
  return agents.flatMap(({ id, doorbell }) => [
    ...dialogLines(id, doorbell, nowMs),
    ...unannouncedLines(id, doorbell, nowMs),
  ]);
}

function dialogLines(id: string, doorbell: SessionStatus | undefined, nowMs: number): string[] {
  const { dialog, session } = doorbell ?? {};
  if (dialog === undefined) return [];
  const age = ageOf(dialog.since, nowMs);
  return [`${id} needs a person: ${dialog.what}, ${age} (in its ${session?.client} session)`];
}

/** Says why a session was not told of what was delivered. */
export const WHY_UNTOLD: Readonly<Record<Untold, string>> = {
  'no-session':
    'no session of it has shown itself; start one, or see by `hivemail hooks show` whether its hooks are there and run',
  ended: 'its session has ended; start one',
  dialog: 'a person has to decide something in its session first',
  'at-work': 'its session is at work and is told at its next tool call',
  notify: 'its session is idle, in mode notify: it is told when you write to it',
  rests: 'its session went on for mail as often as it may in a row, and rests',
  waking: 'its session is being woken',
  'not-woken': 'its session is idle, and could not be woken',
  'nothing-wakes':
    'its session is idle, and nothing waits to wake it: it is told when you write to it',
};

function unannouncedLines(
  id: string,
  doorbell: SessionStatus | undefined,
  nowMs: number,
): string[] {
  const { unannounced, wake } = doorbell ?? {};
  if (unannounced === undefined) return [];
  const { letters, why } = unannounced;
  const isOfWake = wake !== undefined && (why === 'waking' || why === 'not-woken');
  const detail = isOfWake ? ` (${WAKE_REASONS[wake.why]}; ${ageOf(wake.at, nowMs)} ago)` : '';
  return [
    `${id}: ${letters} letter${letters === 1 ? '' : 's'} delivered, not announced: ${WHY_UNTOLD[why]}${detail}`,
  ];
}
