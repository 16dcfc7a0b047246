import type { AgentId } from '../protocol/addresses.ts';
import type { StrayFile } from '../routing/inputs.ts';
import type { Stray } from '../spool/scan.ts';
import type { Router } from './router.ts';

/** Strays told of in one pass; more follow in the next. */
const MOST_STRAYS = 20;

/** Strays whose owner is to be told now, and the outboxes to look at again. */
export interface NotedStrays {
  due: StrayFile[];
  keys: string[];
  pending: Set<AgentId>;
  /** One of them will be told of soon; temporary files are not waited for. */
  waiting: boolean;
}

/** Picks the strays that have lain still for long enough and were not reported before. */
export function noteStrays(strays: readonly Stray[], router: Router, nowMs: number): NotedStrays {
  const { settings, settling, reported } = router;
  const noted: NotedStrays = { due: [], keys: [], pending: new Set(), waiting: false };
  for (const { agent, name, stat, temporary } of strays) {
    const key = `${agent}/${name}/${stat.inode}`;
    if (reported.has(key)) continue;
    const needed = temporary ? settings.settle.temporaryMs : settings.settle.strayMs;
    if (settling.look(stat, nowMs) < needed || noted.due.length >= MOST_STRAYS) {
      noted.pending.add(agent);
      noted.waiting ||= !temporary;
      continue;
    }
    const kind = stat.kind === 'directory' ? 'directory' : temporary ? 'temporary' : 'name';
    noted.due.push({ agent, name, kind });
    noted.keys.push(key);
  }
  return noted;
}
