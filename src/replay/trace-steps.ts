/**
 * One message's life as steps, told from the rows about it. A step says what happened in words, when,
 * and how long after the step that it follows from: the decision follows from the acceptance, handling
 * and answers from the arrival in that inbox.
 */
import type { EventKind, LogRow } from '../protocol/event.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import { outcomeReason } from '../protocol/outcome-reasons.ts';

/** What a step of a message's life is. */
export type TraceStepKind =
  | 'written'
  | 'accepted'
  | 'repaired'
  | 'decided'
  | 'delivered'
  | 'held'
  | 'owed'
  | 'failed'
  | 'told'
  | 'late'
  | 'released'
  | 'expired'
  | 'escalated'
  | 'announced'
  | 'handled'
  | 'answered'
  | 'followed';

/** A step of a message's life. */
export interface TraceStep {
  kind: TraceStepKind;
  /** ISO 8601, UTC. */
  at: string;
  /** Whose it is: the recipient, or who wrote an answer. */
  agent?: string | undefined;
  /** What happened, as a clause. */
  says: string;
  /** Milliseconds since the step that it follows from. */
  tookMs?: number | undefined;
  code?: string | undefined;
  /** The notice or answer that the step is. */
  id?: string | undefined;
}

/** What the steps are told from. */
export interface LifeRows {
  id: MessageId;
  /** The row of the outcome; nothing when the log has none. */
  own: LogRow | undefined;
  /** All rows that name the message, in the order of the log. */
  about: readonly LogRow[];
  /** When the original was written, in milliseconds, where it still lies in `.sent/`. */
  writtenMs: number | undefined;
}

/** Tells a message's life, in the order in which it happened. */
export function lifeSteps({ id, own, about, writtenMs }: LifeRows): TraceStep[] {
  const acceptedMs = messageIdTime(id);
  const steps = own === undefined ? [] : ownSteps(own, { acceptedMs, writtenMs });
  const arrivals = new Map<string, number>();
  const decidedMs = own === undefined ? acceptedMs : Date.parse(own.ts);
  for (const row of about) {
    steps.push(...laterSteps(row, { id, from: own?.from, decidedMs, arrivals }));
    if (row.id !== id) continue;
    for (const agent of row.delivered ?? []) arrivals.set(agent, Date.parse(row.ts));
  }
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function ownSteps(
  own: LogRow,
  { acceptedMs, writtenMs }: { acceptedMs: number; writtenMs: number | undefined },
): TraceStep[] {
  const at = iso(acceptedMs);
  const decision = decisionSteps(own, acceptedMs);
  if (own.kind === 'notice') return decision;
  const { from = '?', file = '?', repairs = [] } = own;
  const written: TraceStep[] =
    writtenMs === undefined || writtenMs > acceptedMs
      ? []
      : [{ kind: 'written', at: iso(writtenMs), agent: from, says: `${from} wrote ${file}` }];
  const tookMs = written.length === 0 ? undefined : acceptedMs - (writtenMs ?? acceptedMs);
  const says = `the router took ${file} out of the outbox of ${from}`;
  const mended: TraceStep[] =
    repairs.length === 0 ? [] : [{ kind: 'repaired', at, says: `mended: ${repairs.join(', ')}` }];
  return [...written, { kind: 'accepted', at, agent: from, says, tookMs }, ...mended, ...decision];
}

function decisionSteps(own: LogRow, acceptedMs: number): TraceStep[] {
  const { ts: at, outcome = 'delivered', code = outcome } = own;
  const tookMs = Math.max(0, Date.parse(at) - acceptedMs);
  const about = own.of === undefined ? '' : ` about ${own.of}`;
  const says =
    own.kind === 'notice'
      ? `the router wrote this notice${about}: ${code}`
      : `${outcome}${because(code, outcome)}${wayOf(own)}`;
  return [{ kind: 'decided', at, says, tookMs, code }, ...placeSteps(own, outcome === 'held')];
}

/** How it found its recipients, where its addresses do not say so by themselves. */
function wayOf({ broadcast, through }: LogRow): string {
  const everyone = broadcast === true ? '; it was for everyone' : '';
  return through === undefined ? everyone : `${everyone}; it is for the person, through ${through}`;
}

/** Where the copies of a letter went at first. */
function placeSteps(own: LogRow, isHeld: boolean): TraceStep[] {
  const { ts: at, delivered = [], held = [], owed = [], failed = {} } = own;
  const heldCode = isHeld ? (own.code ?? 'held') : 'on-hold';
  return [
    ...delivered.map((agent): TraceStep => arrived(at, agent)),
    ...held.map((agent): TraceStep => isHeldFor(at, agent, heldCode)),
    ...owed.map((agent): TraceStep => isOwedTo(at, agent)),
    ...Object.entries(failed)
      .filter(() => own.kind === 'letter')
      .map(([agent, code]): TraceStep => {
        return { kind: 'failed', at, agent, code, says: `did not reach ${agent}${because(code)}` };
      }),
  ];
}

function arrived(at: string, agent: string): TraceStep {
  return { kind: 'delivered', at, agent, says: `in the inbox of ${agent}` };
}

function isHeldFor(at: string, agent: string, code: string): TraceStep {
  return { kind: 'held', at, agent, code, says: `held for ${agent}${because(code)}` };
}

function isOwedTo(at: string, agent: string): TraceStep {
  const says = `owed to ${agent}: that inbox could not be written to; it is tried again`;
  return { kind: 'owed', at, agent, says };
}

function because(code: string, said?: string): string {
  const reason = outcomeReason(code);
  if (reason === undefined) return code === said ? '' : ` (${code})`;
  return code === said ? `: ${reason}` : ` (${code}): ${reason}`;
}

interface Life {
  id: string;
  from: string | undefined;
  decidedMs: number;
  arrivals: ReadonlyMap<string, number>;
}

function laterSteps(row: LogRow, life: Life): TraceStep[] {
  if (row.id === life.id) return ownLaterSteps(row, life);
  if (row.kind === 'notice' && row.of === life.id) return [toldStep(row, life)];
  if (row.kind === 'letter' && row.in_reply_to === life.id) return [answerStep(row, life)];
  return [];
}

function ownLaterSteps(row: LogRow, life: Life): TraceStep[] {
  return LATER[row.kind]?.(row, life) ?? [];
}

/** What rows after that of the outcome tell of a message. */
const LATER: { [Kind in EventKind]?: (row: LogRow, life: Life) => TraceStep[] } = {
  late: (row, life) => [
    ...forEach(row.delivered, row, life, (agent) => ['late', `late, in the inbox of ${agent}`]),
    ...forEach(row.held, row, life, (agent) => ['late', `late, held for ${agent}`]),
  ],
  release: (row, life) => [
    ...forEach(row.to, row, life, (agent) => ['released', `released to ${agent}`]),
    ...(row.owed ?? []).map((agent) => isOwedTo(row.ts, agent)),
  ],
  expired: (row, life) =>
    forEach(row.to, row, life, (agent) => [
      'expired',
      `given up for now${because(row.code ?? '')}; held for ${agent}`,
    ]),
  escalated: (row, life) =>
    forEach(row.delivered, row, life, (agent) => [
      'escalated',
      `copied to ${agent}: it was not handled in time`,
    ]),
  announced: (row, life) => (row.to ?? []).map((agent) => announcedStep(row, agent, life)),
  handled: (row, life) =>
    (row.to ?? []).map((agent) => {
      const says = `${agent} ${row.note === 'removed' ? 'took it away' : 'moved it to .done'}`;
      const at = row.ts;
      return { kind: 'handled', at, agent, says, tookMs: sinceArrival(at, agent, life) };
    }),
};

/** A step for each agent, which follows from the decision. */
function forEach(
  agents: readonly string[] = [],
  { ts: at, code }: LogRow,
  { decidedMs }: Life,
  tell: (agent: string) => [kind: TraceStepKind, says: string],
): TraceStep[] {
  const tookMs = Date.parse(at) - decidedMs;
  return agents.map((agent) => {
    const [kind, says] = tell(agent);
    return { kind, at, agent, says, tookMs, ...(code === undefined ? {} : { code }) };
  });
}

function announcedStep(row: LogRow, agent: string, life: Life): TraceStep {
  const at = row.at ?? row.ts;
  const says = `announced to ${agent}${because(row.code ?? '', '')}`;
  const told = row.note === undefined ? says : `${says}: ${row.note}`;
  return { kind: 'announced', at, agent, says: told, tookMs: sinceArrival(at, agent, life) };
}

function sinceArrival(at: string, agent: string, { arrivals }: Life): number | undefined {
  const arrivedMs = arrivals.get(agent);
  return arrivedMs === undefined ? undefined : Date.parse(at) - arrivedMs;
}

function toldStep({ ts: at, to = [], code, id }: LogRow, { decidedMs }: Life): TraceStep {
  const agent = to.join(', ');
  const says = `${agent} was told: ${code ?? 'notice'}`;
  return { kind: 'told', at, agent, says, id, code, tookMs: Date.parse(at) - decidedMs };
}

function answerStep(row: LogRow, life: Life): TraceStep {
  const { ts: at, from: agent = '?', act = '?', id, outcome = 'delivered' } = row;
  const ending = outcome === 'delivered' ? '' : `, which was ${outcome}`;
  const kind = agent === life.from ? 'followed' : 'answered';
  const says = `${agent} ${kind === 'answered' ? 'answered' : 'wrote again'}: ${act}${ending}`;
  const tookMs = sinceArrival(at, agent, life);
  return { kind, at, agent, says, id, tookMs, code: row.code };
}

function iso(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
