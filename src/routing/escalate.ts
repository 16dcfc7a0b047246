import { obliges } from '../protocol/acts.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import type { HiveEvent } from '../protocol/event.ts';
import { isMessageId, messageIdTime } from '../protocol/ids.ts';
import type { Message } from '../protocol/message.ts';
import type { RoutingMemory } from './memory.ts';
import { type Output, routedRow } from './output.ts';
import type { PlanContext } from './plan.ts';

/**
 * Copies a letter for the person to the desk, under its id. Who wrote it, and what it obliges to, is as
 * the router remembers it, since the orchestrator can write the file it is taken from.
 */
export function decideEscalation(found: Message, { memory }: PlanContext): Output[] {
  const known = memory.message(found.id);
  if (known === undefined) return [];
  const { id, conversation, from, act, hops, broadcast } = known;
  const routed = { id: found.id, conversation, from, act, hops };
  const message: Message = {
    ...{ ...found, ...routed, to: DESK },
    requires_reply: obliges(act),
    needs_human: true,
  };
  memory.rememberLater({ id, conversation, from, act, hops, broadcast, to: [DESK] });
  return [
    {
      copies: [{ message, place: 'inbox' }],
      row: { ...routedRow('escalated', message), delivered: [DESK] },
    },
  ];
}

/** Tells a memory what a row says of a letter that waits for the person. */
export function noteWait({ kind, id, batch, through }: HiveEvent, memory: RoutingMemory): void {
  if (id === undefined) return;
  if (kind === 'escalated') return memory.endWait(id);
  if (through === undefined || !isMessageId(batch)) return;
  memory.beginWait({ id, through, batch, since: messageIdTime(batch) });
}

/** Names the agent through whom a copy is to reach the person, where it is one. */
export function throughOf(message: Message, to: AgentId): { through?: string } {
  return message.needs_human && to !== DESK ? { through: to } : {};
}
