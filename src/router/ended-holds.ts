import { join } from 'node:path';
import { readMessageText } from '../hive/read-message.ts';
import { type AgentId, hasMailbox } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { HeldMessage } from '../routing/inputs.ts';
import type { Router } from './router.ts';

/** Messages released in one pass; more follow in the next. */
const MOST_RELEASES = 500;

/** After so many walks in a row that found nothing but what can't be read, the next one has to wait. */
const FAILURES_AT_ONCE = 3;
const UNREADABLE_AGAIN_MS = 30_000;

const UNREADABLE = "Something in held/ can't be read. It is kept and tried again.";

type Files = Pick<Router, 'fs' | 'layout'>;

/** Lists everything in `held/`, for one holder or all. Unreadable entries are passed over. */
export function listHeld(files: Files, only?: AgentId): HeldMessage[] {
  return [...walkHeld(files, only)].filter((entry) => entry !== undefined);
}

/**
 * Collects the messages that waited for a hold on their recipient, once that hold is over. Looks only
 * after a change of the roster, and at start.
 */
export function endedHolds(router: Router): HeldMessage[] {
  const { census, health, clock } = router;
  if (!router.recheckHeld || census === undefined) return [];
  const nowMs = clock.monotonic();
  if (nowMs < router.heldRetry.atMs) return [];
  const free = [...census.roster.agents.values()].filter(({ onHold }) => !onHold);
  const { ended, complete } = collectEnded(
    router,
    free.map(({ id }) => id),
  );
  // Looked at once more: what could not be read, what is left for the next pass, and what a commit
  // that fails would forget.
  router.recheckHeld = !complete || ended.length > 0;
  // Walking held/ costs what it holds, and what can't be read now most often can't in the next pass.
  const failures = complete || ended.length > 0 ? 0 : router.heldRetry.failures + 1;
  const waitsMs = failures < FAILURES_AT_ONCE ? 0 : UNREADABLE_AGAIN_MS;
  router.heldRetry = { failures, atMs: nowMs + waitsMs };
  if (complete) health.clear('held');
  else health.report('held', { red: true, message: UNREADABLE });
  return ended;
}

function collectEnded(
  files: Files,
  holders: readonly AgentId[],
): { ended: HeldMessage[]; complete: boolean } {
  const ended: HeldMessage[] = [];
  let complete = true;
  for (const holder of holders) {
    for (const entry of walkHeld(files, holder)) {
      complete &&= entry !== undefined;
      if (entry?.message.held?.code !== 'on-hold') continue;
      if (ended.push(entry) >= MOST_RELEASES) return { ended, complete };
    }
  }
  return { ended, complete };
}

/** Yields what lies in `held/`, oldest first for each holder; nothing for what can't be read now. */
export function* walkHeld(files: Files, only?: AgentId): Generator<HeldMessage | undefined> {
  const { fs, layout } = files;
  const holders = only === undefined ? listNames(fs, layout.held)?.filter(hasMailbox) : [only];
  if (holders === undefined) yield undefined;
  for (const holder of holders ?? []) {
    const dir = layout.heldFor(holder);
    const names = listNames(fs, dir);
    if (names === undefined) yield undefined;
    for (const name of (names ?? []).filter((each) => each.endsWith('.json')).sort()) {
      yield* readHeld(fs, join(dir, name), holder, name.slice(0, -'.json'.length));
    }
  }
}

function listNames(fs: Router['fs'], dir: string): string[] | undefined {
  try {
    return fs.list(dir);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
  }
}

function* readHeld(
  fs: Router['fs'],
  path: string,
  holder: AgentId,
  id: string,
): Generator<HeldMessage | undefined> {
  let text: string;
  try {
    text = readMessageText(fs, path);
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'EINVAL') yield undefined;
    return;
  }
  const message = parseMessage(text);
  // Under another name it would stay when it is delivered, and be delivered again and again.
  if (message?.id === id) yield { holder, message, byPerson: false };
}
