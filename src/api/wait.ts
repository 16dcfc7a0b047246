import type { HiveFs } from '../hive/hive-fs.ts';
import { letterNames, watchInbox } from '../hive/inbox-watch.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { type InboxEntry, listInbox } from '../hive/mailbox.ts';
import { systemClock } from '../hive/system-clock.ts';
import type { AgentId } from '../protocol/addresses.ts';

/** How mail is waited for. */
export interface WaitOptions {
  /** Only letters that come after this one, by id; those in the inbox count too when it is left out. */
  after?: string | undefined;
  /** How long, in milliseconds; for ever when left out. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Told about once a second how long it has been, in milliseconds. */
  onWaiting?: ((waitedMs: number) => void) | undefined;
}

const POLL_MS = 500;
const TELL_MS = 1000;

/**
 * Waits until an inbox holds a letter, and lists the new ones. Changes nothing. Deferred and released
 * mail arrives under its old id, so what was not there when the waiting began is new whatever its id.
 * @returns none when time is up or the signal said so
 */
export async function waitForMail(
  { fs, layout }: { fs: HiveFs; layout: HiveLayout },
  agent: AgentId,
  { after = '', timeoutMs = Number.POSITIVE_INFINITY, signal, onWaiting }: WaitOptions,
): Promise<InboxEntry[]> {
  const { inbox } = layout.agent(agent);
  const began = systemClock.monotonic();
  const known = new Set(letterNames(inbox).filter((name) => !comesAfter(name, after)));
  using watched = watchInbox(inbox);
  for (let told = 0; ; ) {
    if (letterNames(inbox).some((name) => !known.has(name))) {
      const entries = listInbox(fs, layout, agent).filter(({ id }) => !known.has(`${id}.json`));
      if (entries.length > 0) return entries;
    }
    const waitedMs = systemClock.monotonic() - began;
    if (waitedMs >= timeoutMs || signal?.aborted === true) return [];
    if (waitedMs - told >= TELL_MS) {
      told = waitedMs;
      onWaiting?.(waitedMs);
    }
    await watched.change(Math.min(POLL_MS, timeoutMs - waitedMs), signal);
  }
}

function comesAfter(name: string, after: string): boolean {
  return name > after && (after === '' || !name.startsWith(after));
}
