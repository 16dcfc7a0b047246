import type { AgentId } from '../protocol/addresses.ts';
import { DESK } from '../protocol/addresses.ts';
import type { LogRow } from '../protocol/event.ts';
import type { KnownMessage, RoutingMemory } from './memory.ts';
import type { RoutingRules } from './rules.ts';
import { countInWindows } from './windows.ts';

/**
 * Tells a fresh memory what a log row witnesses, so that hops, reply rules and loop windows go on
 * after a restart where they were.
 */
export function recallRow(row: LogRow, memory: RoutingMemory, rules: RoutingRules): void {
  const message = messageOf(row);
  if (message === undefined) return;
  if (row.kind === 'letter') recallLetter(row, message, { memory, rules });
  if (row.kind === 'notice') recallNotice(row, message, memory);
  if (row.kind === 'release' || row.kind === 'late') memory.remember(message);
}

function recallLetter(
  row: LogRow,
  message: KnownMessage,
  { memory, rules }: { memory: RoutingMemory; rules: RoutingRules },
): void {
  const { outcome } = row;
  if (outcome === 'refused' || outcome === 'quarantined') return;
  if (message.to.length > 0 && message.from !== DESK) {
    const letter = {
      sender: message.from as AgentId,
      recipients: message.to as AgentId[],
      conversation: message.conversation,
      hops: message.hops,
      broadcast: message.broadcast,
      at: Date.parse(row.ts),
    };
    countInWindows(letter, memory, rules);
  }
  memory.remember(message);
  if (outcome === 'delivered' || outcome === 'partial') {
    memory.setCount(`notices\n${message.from}`, 0);
    memory.setCount(`answers\n${message.from}`, 0);
  }
}

function recallNotice(row: LogRow, message: KnownMessage, memory: RoutingMemory): void {
  memory.remember(message);
  const [to] = message.to;
  if (to === undefined) return;
  if (message.hops > 0) {
    memory.setCount(`notices\n${to}`, memory.count(`notices\n${to}`) + 1);
  } else if (row.code === 'hop-cap' && row.of !== undefined) {
    const about = memory.message(row.of);
    if (about !== undefined) memory.setCount(`loop\nhops\n${about.conversation}`, 1);
  }
}

function messageOf(row: LogRow): KnownMessage | undefined {
  const { id, conversation, act, from } = row;
  if (id === undefined || conversation === undefined || act === undefined || from === undefined) {
    return undefined;
  }
  const to = [...(row.delivered ?? []), ...(row.owed ?? [])];
  return {
    id,
    conversation,
    act,
    hops: row.hops ?? 0,
    from,
    to,
    broadcast: row.broadcast === true,
  };
}
