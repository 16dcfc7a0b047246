import { type AgentId, DESK, SYSTEM } from '../protocol/addresses.ts';
import { toBase64 } from '../protocol/base64.ts';
import { toTimestamp } from '../protocol/clock.ts';
import type { HiveEvent } from '../protocol/event.ts';
import { type MessageId, messageIdTime } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import type { HistoryRecord, RecordedMessage } from '../protocol/record.ts';
import { redactSecrets } from '../protocol/redact.ts';
import { archiveName } from './archive-name.ts';
import type { Decision } from './decide.ts';
import type { CopyPlace } from './inputs.ts';
import type { RoutingMemory } from './memory.ts';
import type { NoticeDraft } from './notices.ts';
import type { Move } from './plan.ts';
import { type Roster, wayToPerson } from './roster.ts';

/** What one input, or one notice, adds to the plan of its batch. */
export interface Output {
  copies: { message: Message; place: CopyPlace }[];
  move?: Move;
  row?: HiveEvent;
  record?: HistoryRecord;
}

/** Longest subject in a log row, in characters. */
const MOST_SUBJECT = 300;

/** Prepares a subject for a log row: secrets redacted, cut to 300 characters. */
function subjectForLog(subject: string): string {
  return [...redactSecrets(subject.slice(0, 4 * MOST_SUBJECT))].slice(0, MOST_SUBJECT).join('');
}

/** Turns the decision on a letter into copies, the archive move, its row and its record. */
export function outputOfLetter(decision: Decision, roster: Roster): Output {
  const { claim, fates } = decision;
  const at = toTimestamp(messageIdTime(claim.id));
  const copies = fates.map(({ to, place, code }) => ({
    place,
    message: {
      ...messageFor(to, decision, roster),
      ...(place === 'held' ? { held: { code, at } } : {}),
    },
  }));
  const record = recordOf(decision);
  const brings = copies.find(({ place, message }) => place === 'inbox' && message.needs_human);
  const through = brings?.message.to === DESK ? undefined : brings?.message.to;
  return {
    copies,
    move: { from: 'claim', name: claim.claimName, agent: claim.sender, as: archiveName(decision) },
    row: { ...rowOf(decision), ...(through === undefined ? {} : { through }) },
    ...(record === undefined ? {} : { record }),
  };
}

/** `needs_human` is for whoever can reach the person, and a copy of what has reached it asks nothing. */
function messageFor(to: AgentId, { envelope, copyTo }: Decision, roster: Roster): Message {
  const shared = envelope as Omit<Message, 'to'>;
  const isCopy = to === copyTo;
  const { from, requires_reply, needs_human } = shared;
  const bringsToPerson = to === DESK || (to === wayToPerson(roster, from) && !isCopy);
  return {
    ...shared,
    to,
    requires_reply: requires_reply && !isCopy,
    needs_human: needs_human && bringsToPerson,
  };
}

function rowOf(decision: Decision): HiveEvent {
  const { claim, envelope, letter, fates, failures } = decision;
  const missed = failures.map(({ to }) => to.slice(0, 100));
  const at = (place: CopyPlace) => fates.filter((fate) => fate.place === place).map(({ to }) => to);
  const delivered = at('inbox');
  const held = at('held');
  const { repairs } = claim.parsed;
  const mended: string[] = decision.unknownParent ? [...repairs, 'unknown-parent'] : repairs;
  const failed = Object.fromEntries(failures.map(({ to, code }) => [to.slice(0, 100), code]));
  return {
    kind: 'letter',
    id: claim.id,
    from: claim.sender,
    to: [...new Set([...decision.recipients, ...missed])],
    ...(envelope === undefined
      ? {}
      : {
          conversation: envelope.conversation,
          in_reply_to: envelope.in_reply_to,
          act: envelope.act,
          hops: envelope.hops,
        }),
    ...(letter === undefined ? {} : { subject: subjectForLog(letter.subject) }),
    outcome: decision.outcome,
    code: decision.code,
    ...(delivered.length > 0 ? { delivered } : {}),
    ...(held.length > 0 ? { held } : {}),
    ...(failures.length > 0 ? { failed } : {}),
    ...(envelope?.to_all?.includes('broadcast') === true ? { broadcast: true } : {}),
    ...(mended.length > 0 ? { repairs: mended } : {}),
    file: claim.file,
  };
}

function recordOf(decision: Decision): HistoryRecord | undefined {
  const { claim, envelope, outcome, code } = decision;
  const plain = outcome === 'delivered' || outcome === 'partial' || outcome === 'held';
  const recordOriginal =
    claim.original !== undefined && !(plain && claim.parsed.repairs.length === 0);
  const record: HistoryRecord = { id: claim.id };
  if (envelope !== undefined && plain) {
    const to = decision.fates.map((fate) => fate.to);
    record.message = { ...envelope, to, outcome, code } as RecordedMessage;
  }
  if (recordOriginal && claim.original !== undefined) record.original = toBase64(claim.original);
  return record.message === undefined && record.original === undefined ? undefined : record;
}

/** Gives a notice its id and turns it into a message, its row and its record. */
export function outputOfNotice(
  draft: NoticeDraft,
  { nextId, memory }: { nextId: () => MessageId; memory: RoutingMemory },
): Output {
  const id = nextId();
  const message: Message = {
    id,
    conversation: draft.conversation ?? id,
    in_reply_to: draft.isAboutOwnLetter ? draft.of : null,
    from: SYSTEM,
    to: draft.to,
    act: 'inform',
    subject: draft.subject,
    body: draft.body,
    hops: draft.hops,
    requires_reply: false,
    needs_human: false,
    created_at: toTimestamp(messageIdTime(id)),
    notice: { of: draft.of, code: draft.code, ...(draft.file ? { file: draft.file } : {}) },
  };
  const { thread } = memory.message(draft.of) ?? {};
  memory.remember({ ...message, to: [draft.to], broadcast: false, thread });
  return {
    copies: [{ message, place: 'inbox' }],
    row: {
      ...routedRow('notice', message),
      code: draft.code,
      delivered: [draft.to],
      of: draft.of,
      ...(draft.silenced === undefined ? {} : { failed: { [draft.silenced]: draft.code } }),
    },
    record: { id, message: recordedNotice(message) },
  };
}

function recordedNotice(message: Message): RecordedMessage {
  return { ...message, to: [message.to], outcome: 'delivered', code: 'delivered' };
}

/** The fields of a row that say which message it is about. */
export function routedRow(kind: HiveEvent['kind'], message: Message): HiveEvent {
  return {
    kind,
    id: message.id,
    conversation: message.conversation,
    in_reply_to: message.in_reply_to,
    from: message.from,
    to: [message.to as AgentId],
    act: message.act,
    subject: subjectForLog(message.subject),
    hops: message.hops,
  };
}
