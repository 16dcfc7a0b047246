import { join } from 'node:path';
import { AnchoredPaths } from '../hive/anchored-paths.ts';
import { readMessageText } from '../hive/read-message.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import type { RecordedMessage } from '../protocol/record.ts';
import type { PersonWait } from '../routing/memory.ts';
import type { Plan } from '../routing/plan.ts';
import { parseDeferredName } from '../spool/publish.ts';
import type { Router } from './router.ts';

const LOOK_EVERY_MS = 30_000;
/** The history answers within this time, most often. */
const ANSWERED_MS = 1000;
/** Letters copied to the desk in one pass; more follow in the next look. */
const MOST = 100;
const MOST_BYTES = 64 * 1024 * 1024;

/** What the orchestrator answers with when it has taken a letter on; an `agree` is only a promise. */
const ANSWERS = ['done', 'inform', 'refuse', 'query', 'propose', 'request'] as const;

/**
 * Collects the letters for the person that the orchestrator has left for too long. Looks at those alone
 * that the memory knows of, so it costs the same however much the orchestrator has in its inbox.
 * @param nowMs - monotonic
 */
export function dueEscalations(router: Router, nowMs: number): Message[] {
  const { settings, memory, clock } = router;
  if (settings.escalateMs === 0 || nowMs < router.personLookMs) return [];
  router.personLookMs = nowMs + LOOK_EVERY_MS;
  const due = memory
    .waits()
    .filter(({ since }) => clock.now() - since >= settings.escalateMs)
    .filter(({ id, through }) => !ANSWERS.some((act) => memory.hasReplied(id, through, act)));
  return due.slice(0, MOST).flatMap((wait) => findLeft(router, wait) ?? []);
}

/** Finds a letter that still waits; nothing when it was handled, or can't be told now. */
function findLeft(router: Router, wait: PersonWait): Message | undefined {
  const { fs, layout, epoch, memory } = router;
  try {
    using paths = new AnchoredPaths(fs, layout);
    const inbox = paths.of(wait.through as AgentId, 'inbox');
    const path = join(inbox, `${wait.id}.json`);
    if (fs.stat(path) !== undefined)
      return asAccepted(router, wait) ?? asRecorded(router, path, wait);
    const owed = fs.list(epoch.deferred).find((name) => {
      const { id, to, place } = parseDeferredName(name) ?? {};
      return id === wait.id && to === wait.through && place === 'inbox';
    });
    if (owed === undefined) memory.endWait(wait.id);
    return owed === undefined ? undefined : readMessage(fs, join(epoch.deferred, owed));
  } catch (error) {
    // Looked at again: an inbox in trouble tells nothing of what was handled.
    if (systemCode(error) === undefined) throw error;
    return undefined;
  }
}

function readMessage(fs: Router['fs'], path: string): Message | undefined {
  return parseMessage(readMessageText(fs, path));
}

/**
 * Reads a letter as it was accepted, from the history, which answers at a later look. The orchestrator could
 * have changed the file in its inbox, which is only read where the history does not have the letter.
 */
function asRecorded(router: Router, path: string, { id }: PersonWait): Message | undefined {
  const recorded = router.accepted.take(id);
  if (recorded === undefined) return readMessage(router.fs, path);
  if (recorded !== 'asked') return acceptedIn(recorded);
  router.personLookMs = Math.min(router.personLookMs, router.clock.monotonic() + ANSWERED_MS);
  return undefined;
}

function acceptedIn(recorded: RecordedMessage): Message {
  const { outcome: _, code: __, to: ___, ...accepted } = recorded;
  return { ...accepted, to: '' as AgentId };
}

/** Reads a letter as it was accepted, from the history's queue, for as long as it waits there. */
function asAccepted({ fs, layout }: Router, { id, batch }: PersonWait): Message | undefined {
  const path = join(layout.historyQueue, `${batch}.json`);
  if (fs.stat(path) === undefined) return undefined;
  const text = Buffer.from(fs.read(path, MOST_BYTES).bytes).toString('utf8');
  const plan = parseStrictly(text)?.value as Partial<Plan> | undefined;
  const message = plan?.records?.find((record) => record.id === id)?.message;
  return message === undefined ? undefined : acceptedIn(message);
}
