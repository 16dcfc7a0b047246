import { join } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseClaimName } from '../spool/claim-name.ts';
import { parseDeferredName } from '../spool/publish.ts';
import type { Health } from './health.ts';
import type { Router } from './router.ts';

const KEEP_IT = 'Do not delete .router/: the next router brings them to their end.';

/**
 * Says what a router that ends leaves in `.router/`: whose it is, how much, and what stood in the way.
 * Where nothing is left, `.router/` may be deleted; so what could not be brought to its end has to be told.
 * @returns sentences; none when nothing is left
 */
export function remainsOf({ fs, layout, epoch, health }: Router): string[] {
  const listed = (dir: string, about: (names: string[]) => string[]): string[] => {
    const names = namesIn(fs, dir);
    return typeof names === 'string' ? [`${dir} can't be listed (${names}).`] : about(names);
  };
  const sentences = [
    ...listed(epoch.deferred, (names) => aboutCopies(names, health)),
    ...listed(epoch.owed, (names) => aboutBatches(names, health)),
    ...listed(epoch.claim, (names) => aboutClaims(names, health)),
    ...listed(layout.unfiled, (agents) =>
      agents.flatMap((agent) =>
        listed(join(layout.unfiled, agent), (names) => aboutUnfiled(agent, names)),
      ),
    ),
    ...listed(layout.historyQueue, aboutQueue),
  ];
  return sentences.length === 0 ? [] : [...sentences, KEEP_IT];
}

function aboutCopies(names: readonly string[], health: Health): string[] {
  const counts = countBy(names, (name) => {
    const { to, place } = parseDeferredName(name) ?? {};
    return place === 'held' ? `held/${to}` : `agents/${to}/inbox`;
  });
  return [...counts].map(([where, count]) => {
    const to = where.split('/')[1];
    const why = health.problem(`inbox/${to}`)?.code ?? 'not tried again yet';
    return `${some(count, 'message')} for ${to} can't be put into ${where} (${why}).`;
  });
}

function aboutBatches(names: readonly string[], health: Health): string[] {
  if (names.length === 0) return [];
  const codes = names.map((name) => health.problem(`batch/${name}`)?.code ?? 'not tried again yet');
  const what = some(names.length, 'committed batch', 'committed batches');
  return [`${what} can't be finished (${[...new Set(codes)].join(', ')}).`];
}

function aboutClaims(names: readonly string[], health: Health): string[] {
  const counts = countBy(names, (name) => parseClaimName(name)?.sender ?? 'nobody');
  return [...counts].map(([sender, count]) => {
    const why = health.problem(`outbox/${sender}:claims`)?.code ?? 'not complete yet';
    return `${some(count, 'letter')} of ${sender} can't be decided on (${why}).`;
  });
}

function aboutUnfiled(agent: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`${some(names.length, 'original')} of ${agent} can't be put into its outbox/.sent.`];
}

function aboutQueue(names: readonly string[]): string[] {
  const waiting = names.filter((name) => name.endsWith('.json')).length;
  if (waiting === 0) return [];
  return [`${some(waiting, 'batch is', 'batches are')} not in the history yet; it catches up.`];
}

function namesIn(fs: HiveFs, dir: string): string[] | string {
  try {
    return fs.list(dir);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' ? [] : code;
  }
}

function countBy(names: readonly string[], keyOf: (name: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of names.map(keyOf)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function some(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
