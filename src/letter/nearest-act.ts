import { ACTS, type Act } from '../protocol/acts.ts';

/** What agents write instead of an act, and the act that says it. */
const SYNONYMS: ReadonlyMap<string, Act> = new Map([
  ['ask', 'query'],
  ['question', 'query'],
  ['task', 'request'],
  ['assign', 'request'],
  ['order', 'request'],
  ['suggest', 'propose'],
  ['info', 'inform'],
  ['notify', 'inform'],
  ['report', 'inform'],
  ['reply', 'inform'],
  ['answer', 'inform'],
  ['response', 'inform'],
  ['message', 'inform'],
  ['accept', 'agree'],
  ['ack', 'agree'],
  ['reject', 'refuse'],
  ['decline', 'refuse'],
  ['complete', 'done'],
  ['completed', 'done'],
  ['finished', 'done'],
]);

const LONGEST_COMPARED = 20;

/** Finds the act that a wrong one comes nearest to, by meaning or spelling; nothing when it is far from all. */
export function nearestAct(wrong: string): Act | undefined {
  const synonym = SYNONYMS.get(wrong);
  if (synonym !== undefined || wrong.length > LONGEST_COMPARED) return synonym;
  let nearest: Act | undefined;
  let least = Math.ceil(wrong.length / 2);
  for (const act of ACTS) {
    const distance = editDistance(wrong, act);
    if (distance < least) {
      least = distance;
      nearest = act;
    }
  }
  return nearest;
}

/** Counts the single-character changes between two short words (Levenshtein, one row at a time). */
function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (const [index, character] of left.split('').entries()) {
    const next = [index + 1];
    for (let at = 1; at <= right.length; at++) {
      const changed = (row[at - 1] ?? 0) + (character === right[at - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
