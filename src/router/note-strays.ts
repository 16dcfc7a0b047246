import { join } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { StrayFile } from '../routing/inputs.ts';
import type { OwedBatch } from '../spool/owed.ts';
import type { Stray } from '../spool/scan.ts';
import type { Router } from './router.ts';

/** Strays told of in one pass; more follow in the next. */
const MOST_STRAYS = 20;

/** Strays whose owner is to be told now, and the outboxes to look at again. */
export interface NotedStrays {
  due: StrayFile[];
  pending: Set<AgentId>;
  /** One of them will be told of soon; temporary files are not waited for. */
  waiting: boolean;
}

/** Picks the strays that have lain still for long enough and were not reported before. */
export function noteStrays(strays: readonly Stray[], router: Router, nowMs: number): NotedStrays {
  const { settings, settling, reported } = router;
  const noted: NotedStrays = { due: [], pending: new Set(), waiting: false };
  for (const { agent, name, stat, temporary } of strays) {
    if (reported.has(strayKey(agent, name, stat.inode))) continue;
    const needed = temporary ? settings.settle.temporaryMs : settings.settle.strayMs;
    // Also when it is told of now: the batch may not come about.
    noted.pending.add(agent);
    if (!settling.hasSettled(stat, needed, nowMs) || noted.due.length >= MOST_STRAYS) {
      noted.waiting ||= !temporary;
      continue;
    }
    const kind = stat.kind === 'directory' ? 'directory' : temporary ? 'temporary' : 'name';
    noted.due.push({ agent, name, kind });
  }
  return noted;
}

/**
 * Remembers the strays that batches have told of. Done from the plan and before the batch is recorded,
 * so that a router which ends in between neither forgets a stray nor has it told of again.
 * @returns whether it could be written down
 */
export async function rememberStrays(
  batches: readonly OwedBatch[],
  { fs, layout, reported, health }: Router,
): Promise<boolean> {
  const rows = batches.flatMap(({ plan }) => plan.rows).filter(({ kind }) => kind === 'stray');
  if (rows.length === 0) return true;
  try {
    const keys = rows.flatMap(({ from, file }) => {
      if (from === undefined || file === undefined) return [];
      const stat = fs.stat(join(layout.agent(from as AgentId).outbox, file));
      return stat === undefined ? [] : [strayKey(from, file, stat.inode)];
    });
    await reported.add(keys);
    health.clear('reported');
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    const message = `.router/reported.json can't be written (${code}). It is tried again.`;
    health.report('reported', { red: false, message });
    return false;
  }
}

function strayKey(agent: string, name: string, inode: bigint): string {
  return `${agent}/${name}/${inode}`;
}
