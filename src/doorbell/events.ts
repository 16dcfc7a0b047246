import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientName } from './clients.ts';
import type { Moment } from './moment.ts';

/** What a doorbell has to tell the router, for the log. */
export type DoorbellEvent =
  | {
      kind: 'announced';
      /** ISO 8601, UTC, milliseconds. */
      at: string;
      client: ClientName;
      /** By the client's own name; hooks of earlier versions did not tell. */
      event?: string | undefined;
      moment: Moment;
      why: 'new' | 'reminder';
      ids: readonly string[];
    }
  | { kind: 'needs-human'; at: string; client: ClientName; what: string };

/** What the log notes of an announcement: `codex, new, at PostToolUse`. */
export function announcedNote({
  client,
  why,
  event,
}: {
  client: ClientName;
  why: string;
  event?: string | undefined;
}): string {
  return `${client}, ${why}${event === undefined ? '' : `, at ${event}`}`;
}

/** Reads the client's own name of the event out of what the log notes of an announcement. */
export function eventInNote(note: string): string | undefined {
  return /, at (\S+)$/.exec(note)?.[1];
}

/** A router that is down for long must not cost the disk. */
const MOST_WAITING = 1000;

/**
 * Leaves an event for the router to take. Not synced: after a power cut an event may be gone.
 * @param dir - the `events` directory; made when it is missing
 * @param name - unique, sorts by time; without an ending
 */
export function leaveEvent(dir: string, name: string, event: DoorbellEvent): void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  if (readdirSync(dir).length >= MOST_WAITING) return;
  const temporary = join(dir, `.tmp-${name}`);
  writeFileSync(temporary, `${JSON.stringify(event)}\n`, { mode: 0o600 });
  renameSync(temporary, join(dir, `${name}.json`));
}
