/**
 * Brings committed batches to their end: archive → publish → log → record. Idempotent at every step,
 * so the same code serves the batch of this pass, one that met an error before, and one of a router
 * that died. A batch that gets stuck stays owed and holds up no other.
 */
import { join, sep } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Copy } from '../routing/plan.ts';
import { archiveBatch } from '../spool/archive.ts';
import { type OwedBatch, recordBatch } from '../spool/owed.ts';
import { publishBatch } from '../spool/publish.ts';
import { logBatches } from './log-batches.ts';
import { rememberStrays } from './note-strays.ts';
import type { Router } from './router.ts';

/** What became of the batches to be finished. */
export interface Finished {
  /** All of them are published and logged, which new decisions have to wait for. */
  logged: boolean;
  /** Those that still owe something; what their plans name is not free to be decided on. */
  unfinished: OwedBatch[];
}

/** Finishes batches as far as the machine lets it. */
export async function finishBatches(
  batches: readonly OwedBatch[],
  router: Router,
): Promise<Finished> {
  if (batches.length === 0) return { logged: true, unfinished: [] };
  const trouble = new Set<string>();
  const changed = new Set<string>();
  for (const batch of batches) {
    attempt(batch, router, trouble, () => archiveBatch(batch, archiveContext(router), changed));
  }
  const published = batches.filter((batch) =>
    attempt(batch, router, trouble, () => publishBatch(batch, publishContext(router))),
  );
  // Without its plan a batch is done with, so its copies must be gone for good before that.
  for (const { dir } of published) changed.add(dir);
  const [synced, logged] = await Promise.all([
    syncDirs(changed, published, router),
    logBatches(published, router),
  ]);
  const remembered = await rememberStrays(published, router);
  const ready = synced && logged && remembered ? published : [];
  const recorded = ready.filter(
    (batch) =>
      !trouble.has(batch.plan.batch) &&
      attempt(batch, router, trouble, () => recordFinished(batch, router)),
  );
  router.history.nudge();
  return {
    logged: logged && published.length === batches.length,
    unfinished: batches.filter((batch) => !recorded.includes(batch)),
  };
}

function archiveContext(router: Router) {
  const { health, layout } = router;
  return {
    ...router,
    onArchived: (agent: AgentId, place: 'sent' | 'unfiled') => {
      if (place === 'sent') return health.clear(`sent/${agent}`);
      const where = layout.agent(agent).sent;
      const message = `${where} can't be written to. Originals of ${agent} are kept in .router/unfiled/${agent}.`;
      health.report(`sent/${agent}`, { red: false, message });
    },
  };
}

function publishContext(router: Router) {
  return {
    ...router,
    onDeferred: ({ to, place }: Copy, code: string) => {
      const where = place === 'inbox' ? `agents/${to}/inbox` : `held/${to}`;
      const message = `${where} can't be written to (${code}). Its mail is kept and tried again.`;
      router.health.report(`inbox/${to}`, { red: true, message, code });
    },
  };
}

/** Runs a step of a batch; false, and noted, when the machine refused it. */
function attempt(
  batch: OwedBatch,
  router: Router,
  trouble: Set<string>,
  step: () => void,
): boolean {
  try {
    step();
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined || router.fs.stat(router.epoch.dir) === undefined) throw error;
    trouble.add(batch.plan.batch);
    noteTrouble(batch, code, router);
    return false;
  }
}

function noteTrouble({ plan }: OwedBatch, code: string, { health }: Router): void {
  const message = `A committed batch can't be finished yet (${code}). It is tried again in every pass.`;
  health.report(`batch/${plan.batch}`, { red: true, message, code });
}

async function syncDirs(
  dirs: Set<string>,
  batches: readonly OwedBatch[],
  router: Router,
): Promise<boolean> {
  let code: string | undefined;
  for (const result of await Promise.allSettled([...dirs].map((dir) => syncDir(dir, router)))) {
    if (result.status === 'fulfilled') continue;
    code = systemCode(result.reason);
    if (code === undefined) throw result.reason;
  }
  if (code === undefined) return true;
  for (const batch of batches) noteTrouble(batch, code, router);
  return false;
}

/**
 * Syncs a directory that files were moved into. An agent may have taken its `.sent` away again; then the
 * place that its originals came from is synced instead, so that none of them comes back as a new letter.
 */
async function syncDir(dir: string, { fs, layout, epoch }: Router): Promise<void> {
  const isAgents = dir.startsWith(join(layout.agents, sep));
  const isGone = (): boolean => isAgents && fs.stat(dir)?.kind !== 'directory';
  if (isGone()) return fs.syncDir(epoch.claim);
  try {
    await fs.syncDir(dir);
  } catch (error) {
    if (systemCode(error) === undefined || !isGone()) throw error;
    await fs.syncDir(epoch.claim);
  }
}

function recordFinished(batch: OwedBatch, router: Router): void {
  recordBatch(batch, router.fs, router.layout.historyQueue);
  router.committed.delete(batch.plan.batch);
  router.health.clear(`batch/${batch.plan.batch}`);
}
