/**
 * Agents that answer everything they get, each in a manner of its own, against routing in memory: what
 * they do together is how loops come about that nobody has thought of.
 */
import type { Message } from '../../src/protocol/message.ts';
import { RoutingBench, type Written } from './routing-bench.ts';

/** Ways to answer. Each is one that language models have been seen to have. */
export const HABITS = {
  /** What an answer names of the exchange it belongs to. */
  fields: ['both', 'no in_reply_to', 'no conversation', 'neither', 'root', 'renamed', 'own letter'],
  /** Whom it goes to. */
  target: ['sender', 'sender', 'sender', 'another', 'everyone by name', 'broadcast', 'oneself'],
  act: ['inform', 'agree', 'done', 'refuse', 'query', 'request', 'propose', 'any'],
  /** What it does about notices. */
  notices: ['ignores', 'replies', 'writes to another', 'broken JSON', 'same as letters'],
} as const;

/** The manner of one agent. */
export interface Manner {
  id: string;
  fields: (typeof HABITS.fields)[number];
  target: (typeof HABITS.target)[number];
  act: (typeof HABITS.act)[number];
  notices: (typeof HABITS.notices)[number];
  /** How many letters it writes for each it gets. */
  letters: number;
}

/** Draws numbers from 0 to below `most`, always the same for a seed. */
export type Draw = (most: number) => number;

/** A generator of numbers that is the same everywhere (mulberry32). */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  return (most) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most);
  };
}

/** Picks one of a list. */
export function pick<Item>(draw: Draw, items: readonly Item[]): Item {
  return items[draw(items.length)] as Item;
}

/** Makes agents with manners drawn at random; the first is the orchestrator, and hands out work. */
export function drawManners(draw: Draw, count: number): Manner[] {
  return Array.from({ length: count }, (_, place) => ({
    id: place === 0 ? 'god' : `a${place}`,
    fields: pick(draw, HABITS.fields),
    target: pick(draw, HABITS.target),
    act: place === 0 ? 'request' : pick(draw, HABITS.act),
    notices: pick(draw, HABITS.notices),
    letters: draw(4) === 0 ? 2 : 1,
  }));
}

/** What came of it. */
export interface Course {
  bench: RoutingBench;
  /** Letters written. */
  steps: number;
  /** Copies that reached an inbox, without notices. */
  deliveries: number;
  notices: number;
  /** Nothing was left to answer. */
  ended: boolean;
}

/** Lets agents answer each other until nothing is left to answer, or they have written `mostSteps` letters. */
export function letThemAnswer(
  manners: readonly Manner[],
  { draw, mostSteps, bench }: { draw: Draw; mostSteps: number; bench: RoutingBench },
): Course {
  const waiting: [Manner, Message][] = [];
  const byId = new Map(manners.map((manner) => [manner.id, manner]));
  const course: Course = { bench, steps: 0, deliveries: 0, notices: 0, ended: false };
  const roots = new Map<string, string>();
  const own = new Map<string, string>();
  const route = (sender: string, written: Written): void => {
    course.steps += 1;
    const { id, copies, notices } = bench.send(sender, written);
    own.set(sender, id);
    course.deliveries += copies.length;
    course.notices += notices.length;
    for (const message of [...copies, ...notices]) {
      const manner = byId.get(message.to);
      if (manner !== undefined) waiting.push([manner, message]);
    }
  };
  for (const { id } of manners) {
    const others = manners.filter((other) => other.id !== id);
    route(id, {
      to: pick(draw, others).id,
      act: pick(draw, ['request', 'inform']),
      body: 'Begin.',
    });
  }
  while (waiting.length > 0 && course.steps < mostSteps) {
    const [[manner, message]] = waiting.splice(draw(waiting.length), 1) as [[Manner, Message]];
    if (!roots.has(manner.id)) roots.set(manner.id, message.id);
    const known = { root: roots.get(manner.id), own: own.get(manner.id) };
    for (let left = manner.letters; left > 0; left--) {
      const written = answer(manner, message, { draw, manners, known, step: course.steps });
      if (written !== undefined) route(manner.id, written);
    }
  }
  course.ended = waiting.length === 0;
  return course;
}

interface Surroundings {
  draw: Draw;
  manners: readonly Manner[];
  known: { root: string | undefined; own: string | undefined };
  step: number;
}

function answer(manner: Manner, message: Message, around: Surroundings): Written | undefined {
  const { draw } = around;
  const others = around.manners.map(({ id }) => id).filter((id) => id !== manner.id);
  const isNotice = message.from === 'system';
  if (isNotice && manner.notices === 'ignores') return undefined;
  if (isNotice && manner.notices === 'broken JSON') return '{"to": "god", "act": inform}';
  const act = manner.act === 'any' ? pick(draw, HABITS.act.slice(0, -1)) : manner.act;
  const letter = { act, body: `Answer ${around.step}.`, ...fieldsOf(manner, message, around) };
  if (isNotice && manner.notices === 'replies') return { ...letter, in_reply_to: message.id };
  if (isNotice && manner.notices === 'writes to another')
    return { ...letter, to: pick(draw, others) };
  const to = {
    sender: message.from,
    another: pick(draw, others),
    'everyone by name': others,
    broadcast: 'broadcast',
    oneself: manner.id,
  }[manner.target];
  return { ...letter, to };
}

function fieldsOf(manner: Manner, message: Message, { known, step }: Surroundings) {
  const { id, conversation } = message;
  switch (manner.fields) {
    case 'both':
      return { in_reply_to: id, conversation };
    case 'no in_reply_to':
      return { conversation };
    case 'no conversation':
      return { in_reply_to: id };
    case 'neither':
      return {};
    case 'root':
      return { in_reply_to: known.root ?? id };
    case 'renamed':
      return { in_reply_to: id, conversation: `renamed-${step}` };
    case 'own letter':
      return { in_reply_to: known.own ?? id };
  }
}

/** A bench with these agents. */
export function benchFor(agents: readonly { id: string }[]): RoutingBench {
  return new RoutingBench({ agents: agents.map(({ id }) => id), orchestrator: 'god' });
}
