import type { RoutingMemory } from './memory.ts';
import type { RoutingRules } from './rules.ts';
import { findFullWindow, type WindowedLetter } from './windows.ts';

/** Why a letter is held. */
export interface Loop {
  code: 'hop-cap' | 'loop-window';
  /** Identity of the loop, so that the orchestrator is told of it once. */
  key: string;
  /** What there was too much of, for the notice. */
  what: string;
}

/** Finds out whether a letter goes on with what looks like a loop: too deep, or one turn too many. */
export function findLoop(
  letter: WindowedLetter & { hops: number },
  memory: RoutingMemory,
  rules: RoutingRules,
): Loop | undefined {
  const { hops, conversation } = letter;
  if (hops > rules.hopCap) {
    const what = `${hops} hops, more than ${rules.hopCap}`;
    return { code: 'hop-cap', key: `hops\n${conversation}`, what };
  }
  const full = findFullWindow(letter, memory, rules);
  return full === undefined ? undefined : { code: 'loop-window', ...full };
}

/**
 * Notes that a letter was held for a loop, and tells whether that is news: for the hop cap once in each
 * conversation; for a window when neither that loop nor one of this sender was seen for a whole window,
 * since agents that are stopped in one way go on in the next.
 */
export function isNewsOfLoop(
  { code, key }: Loop,
  { sender, at }: { sender: string; at: number },
  { memory, rules }: { memory: RoutingMemory; rules: RoutingRules },
): boolean {
  const names = code === 'hop-cap' ? [`loop\n${key}`] : [`loop\n${key}`, `looping\n${sender}`];
  const lastAt = Math.max(...names.map((name) => memory.count(name)));
  for (const name of names) memory.setCount(name, at);
  return lastAt === 0 || (code === 'loop-window' && at - lastAt > rules.windowMs);
}
