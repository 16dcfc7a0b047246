/**
 * Tells a fresh memory what the log witnesses, so that hops, reply rules, loop windows and what senders
 * are told go on after a restart where they were. Goes through the rows in their order, and does for
 * each what was done when it was decided.
 */
import { type AgentId, DESK } from '../protocol/addresses.ts';
import type { LogRow } from '../protocol/event.ts';
import { isMessageId, messageIdTime } from '../protocol/ids.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import { noteWait } from './escalate.ts';
import { isBoundByHops, namedParent, threadOf } from './exchange.ts';
import { findLoop, isNewsOfLoop } from './loops.ts';
import type { KnownMessage, RoutingMemory } from './memory.ts';
import { answersNotice, countAnswer } from './notices.ts';
import type { RoutingRules } from './rules.ts';
import { countInWindows } from './windows.ts';

interface Recalling {
  memory: RoutingMemory;
  rules: RoutingRules;
}

/** Tells a memory what one row of the log witnesses. */
export function recallRow(row: LogRow, memory: RoutingMemory, rules: RoutingRules): void {
  const message = messageOf(row);
  noteWait(row, memory);
  if (row.kind === 'letter') return recallLetter(row, message, { memory, rules });
  if (message === undefined) return;
  if (row.kind === 'escalated') memory.rememberLater(message);
  if (row.kind === 'notice') recallNotice(row, message, memory);
  if (row.kind === 'release' || (row.kind === 'late' && message.to.length > 0)) {
    memory.rememberLater(message);
  }
}

function recallLetter(row: LogRow, message: KnownMessage | undefined, context: Recalling): void {
  const { memory } = context;
  if (message !== undefined && row.outcome !== 'refused') recallRouted(row, message, context);
  if (row.from === undefined || row.outcome === undefined) return;
  const isOwedAlone = row.owed !== undefined && row.failed === undefined && !row.held?.length;
  const outcome: Outcome = isOwedAlone ? 'delivered' : row.outcome;
  const toSystem = Object.values(row.failed ?? {}).includes('reply-to-system');
  const inReplyTo = message === undefined ? undefined : row.in_reply_to;
  countAnswer(
    {
      sender: row.from,
      outcome,
      isFiled: row.code === 'filed',
      act: row.act,
      answersNotice: toSystem || answersNotice(inReplyTo, memory),
    },
    memory,
  );
}

function recallRouted(row: LogRow, message: KnownMessage, { memory, rules }: Recalling): void {
  const { id, conversation, from, act, hops, broadcast, to } = message;
  const inReplyTo = row.in_reply_to ?? undefined;
  const parent =
    inReplyTo === undefined
      ? memory.unanswered(conversation, from)
      : namedParent(inReplyTo, from, memory);
  const thread = threadOf(parent, conversation);
  const letter = {
    sender: from as AgentId,
    recipients: to as AgentId[],
    boundByHops: isBoundByHops({ sender: from, act, hops }, parent, memory),
    at: isMessageId(id) ? messageIdTime(id) : Date.parse(row.ts),
    ...{ conversation, thread, broadcast, hops },
  };
  if (row.code === 'hop-cap' || row.code === 'loop-window') {
    const recipients = [...(row.held ?? []), ...(row.owed ?? [])] as AgentId[];
    const loop = findLoop({ ...letter, recipients }, memory, rules);
    if (loop !== undefined) isNewsOfLoop(loop, letter, { memory, rules });
  }
  if (to.length > 0) {
    countInWindows(letter, memory, rules);
    if (parent !== undefined) memory.rememberReply(parent.id, from, act);
  }
  memory.remember({ ...message, thread });
}

function recallNotice(row: LogRow, message: KnownMessage, memory: RoutingMemory): void {
  const { thread } = memory.message(row.of ?? '') ?? {};
  memory.remember({ ...message, thread });
  for (const [agent, code] of Object.entries(row.failed ?? {})) {
    if (code === 'notices-stopped') memory.setCount(`silenced\n${agent}`, 1);
  }
  const [to] = message.to;
  // Notices of a loop, and of silence, go to the overseer and begin at hops 0; those to a sender do not.
  if (to === undefined || to === DESK || message.hops === 0 || row.code === 'undeliverable') return;
  memory.setCount(`notices\n${to}`, memory.count(`notices\n${to}`) + 1);
}

function messageOf(row: LogRow): KnownMessage | undefined {
  const { id, conversation, act, from } = row;
  if (id === undefined || conversation === undefined || act === undefined || from === undefined) {
    return undefined;
  }
  // What is owed of a held letter is its copy in `held/`.
  const isHeld = row.kind === 'letter' && row.outcome === 'held' && row.code !== 'owed';
  const to = isHeld ? [] : [...(row.delivered ?? []), ...(row.owed ?? [])];
  const broadcast = row.broadcast === true;
  return { id, conversation, act, hops: row.hops ?? 0, from, to, broadcast };
}
