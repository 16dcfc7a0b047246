import type { Move } from '../routing/plan.ts';
import type { OwedBatch } from '../spool/owed.ts';

/** Names an input of a batch: a claim, a deferred copy or a held message. */
export function inputKey(
  move: Pick<Extract<Move, { name: string }>, 'from' | 'name'> | Extract<Move, { from: 'held' }>,
): string {
  const place = move.from === 'held' ? `${move.holder}/${move.id}` : move.name;
  return `${move.from}/${place}`;
}

/**
 * Collects the inputs that committed batches have decided on. As long as such a batch is not finished
 * they may still lie where they were, and deciding on one of them again would deliver it twice.
 */
export function spokenForBy(batches: readonly OwedBatch[]): Set<string> {
  return new Set(batches.flatMap(({ plan }) => plan.moves.map(inputKey)));
}
