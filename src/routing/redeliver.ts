import { type AgentId, DESK } from '../protocol/addresses.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { messageIdTime } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import { throughOf } from './escalate.ts';
import type { DeferredCopy, HeldMessage } from './inputs.ts';
import type { KnownMessage } from './memory.ts';
import { explainExpiry } from './notice-text.ts';
import { type Output, outputOfNotice, routedRow } from './output.ts';
import type { PlanContext } from './plan.ts';

/** Publishes an owed copy anew, under its old id. */
export function decideRedelivery(
  { name, message, to, place }: DeferredCopy,
  { memory }: PlanContext,
): Output {
  if (place === 'inbox') memory.rememberLater(known(message, to));
  return {
    copies: [{ message: { ...message, to }, place }],
    move: { from: 'deferred', name },
    row: {
      ...routedRow('late', message),
      ...landed(to, place),
      ...(place === 'inbox' ? throughOf(message, to) : {}),
    },
  };
}

/** Gives an owed copy up: it goes into `held/`, and its sender is told. */
export function decideExpiry(copy: DeferredCopy, context: PlanContext): Output[] {
  const { name, message, to } = copy;
  const held = { code: 'undeliverable', at: toTimestamp(messageIdTime(context.batch)) };
  const given: Output = {
    copies: [{ message: { ...message, to, held }, place: 'held' }],
    move: { from: 'deferred', name },
    row: { ...routedRow('expired', message), code: 'undeliverable', held: [to] },
  };
  if (!canBeTold(message.from, context)) return [given];
  const notice = outputOfNotice(
    {
      to: message.from as AgentId,
      subject: `held: undeliverable: to ${to}: ${message.subject}`,
      body: explainExpiry(message.id, to),
      of: message.id,
      isAboutOwnLetter: true,
      code: 'undeliverable',
      conversation: message.conversation,
      hops: message.hops + 1,
    },
    context,
  );
  return [given, notice];
}

function canBeTold(from: string, { roster }: PlanContext): boolean {
  return from === DESK || roster.agents.has(from as AgentId);
}

/**
 * Delivers a held message: at hops 0 when a person released it, since that person has looked; as it
 * was when only the hold on its recipient ended.
 */
export function decideRelease(
  { holder, message, byPerson }: HeldMessage,
  context: PlanContext,
): Output {
  const { held: _, ...released } = message;
  const fresh: Message = { ...released, to: holder, ...(byPerson ? { hops: 0 } : {}) };
  context.memory.rememberLater(known(fresh, holder));
  return {
    copies: [{ message: fresh, place: 'inbox' }],
    move: { from: 'held', holder, id: message.id },
    row: {
      ...routedRow('release', fresh),
      ...landed(holder, 'inbox'),
      ...throughOf(fresh, holder),
    },
  };
}

function known(message: Message, to: AgentId): KnownMessage {
  const { id, conversation, act, hops, from } = message;
  const broadcast = message.to_all?.includes('broadcast') === true;
  return { id, conversation, act, hops, from, to: [to], broadcast };
}

function landed(to: AgentId, place: 'inbox' | 'held'): { delivered?: string[]; held?: string[] } {
  return place === 'inbox' ? { delivered: [to] } : { held: [to] };
}
