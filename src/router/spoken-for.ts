import type { Move } from '../routing/plan.ts';
import type { OwedBatch } from '../spool/owed.ts';
import { deferredName } from '../spool/publish.ts';

/** Names an input of a batch: a claim, a deferred copy or a held message. */
export function inputKey(
  move: Pick<Extract<Move, { name: string }>, 'from' | 'name'> | Extract<Move, { from: 'held' }>,
): string {
  const place = move.from === 'held' ? `${move.holder}/${move.id}` : move.name;
  return `${move.from}/${place}`;
}

/**
 * Collects what is not free to be decided on because a committed batch is not finished: the inputs it
 * has decided on, which may still lie where they were, and the copies it has deferred, whose place is
 * what its rows are told from.
 */
export function spokenForBy(batches: readonly OwedBatch[]): Set<string> {
  return new Set(
    batches.flatMap(({ plan: { batch, moves, copies } }) => [
      ...moves.map(inputKey),
      ...copies.map(({ name }) => inputKey({ from: 'deferred', name: deferredName(batch, name) })),
    ]),
  );
}
