/**
 * One pass: what is in the outboxes travels on as far as it can, in this order, each step in a file of
 * its own. What an earlier pass or router owed is finished first, by the same steps.
 */
import { planBatch } from '../routing/plan-batch.ts';
import { discardStaged, takeOverEpochs } from '../spool/epoch.ts';
import { commitBatch } from '../spool/stage.ts';
import { answerReleases, applyRequests } from './apply-requests.ts';
import { finishBatches } from './finish.ts';
import { finishOwed } from './finish-owed.ts';
import { gatherWork, hasInputs, NO_WORK, type Work } from './gather.ts';
import { noteHandled } from './note-handled.ts';
import { refreshHive } from './refresh.ts';
import { rotateLog } from './rotate-log.ts';
import type { Census, Router } from './router.ts';
import { writePendingEvents } from './write-events.ts';

/** What a pass did, and what is left. */
export interface PassReport {
  /** Letters that got their outcome. */
  letters: number;
  /** Something can go on at once: the next pass should not wait for the poll. */
  more: boolean;
  /** Something waits for its writer. */
  waiting: boolean;
  /** The machine refuses a file, or a step of a batch. It is tried again in every pass. */
  refused: boolean;
}

/** What a pass is to do. */
export interface PassOptions {
  /** False to finish what is owed and to answer requests, without taking in new letters. */
  takeIn: boolean;
}

/**
 * Runs one pass.
 * @throws HivemailError `fenced` when another router took over; the system's error when the machine
 *   refuses a step: then nothing is lost, and the next pass goes on from what the disk says
 */
export async function runPass(router: Router, { takeIn }: PassOptions): Promise<PassReport> {
  const startedMs = router.clock.monotonic();
  await takeOverEpochs(router, router.epoch);
  discardStaged(router.fs, router.epoch);
  await refreshHive(router);
  const { settled, spokenFor } = await finishOwed(router);
  const requests = await applyRequests(router);
  const { census } = router;
  const free = settled && census !== undefined;
  const work = free ? gatherWork(router, { ...requests, spokenFor, takeIn }) : NO_WORK;
  if (free && hasInputs(work.inputs)) await routeBatch(work, census, router);
  router.settling.endPass();
  router.slowSenders.endPass();
  if (free) await answerReleases(requests, router);
  if (takeIn) await router.doorbells.take([...(census?.roster.agents.keys() ?? [])], router);
  noteHandled(router, 'due');
  await writePendingEvents(router);
  await rotateLog(router);
  const { inputs, more, waiting, refused } = work;
  const letters = inputs.claims.length;
  notePace(router, letters, startedMs);
  return { letters, more, waiting, refused: refused || !free };
}

async function routeBatch(work: Work, { roster }: Census, router: Router): Promise<void> {
  const { ids, memory, log, rules } = router;
  const { next } = ids;
  try {
    const context = { roster, memory, rules, batch: next(), nextId: next, logSeq: log.seq };
    const batch = await commitBatch(planBatch(work.inputs, context), router);
    memory.commit();
    router.committed.add(batch.plan.batch);
    await finishBatches([batch], router);
  } finally {
    memory.rollback();
  }
}

function notePace(
  { clock, floodPace, settings }: Router,
  letters: number,
  startedMs: number,
): void {
  const tookMs = clock.monotonic() - startedMs;
  floodPace.note({ letters, tookMs, aimMs: settings.budget.floodMs });
}
