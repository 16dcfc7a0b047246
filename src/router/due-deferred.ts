import { join } from 'node:path';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { isMessageId } from '../protocol/ids.ts';
import { parseMessage } from '../protocol/message.ts';
import type { CopyPlace, DeferredCopy } from '../routing/inputs.ts';
import { parseDeferredName } from '../spool/publish.ts';
import { isExpired } from './deferral.ts';
import type { Router } from './router.ts';

const MOST_COPY_BYTES = 64 * 1024 * 1024;

/** Reads the deferred copies whose next attempt is due, or that are given up. */
export function dueDeferred(router: Router, nowMs: number): DeferredCopy[] {
  const { fs, epoch, deferral, settings, clock, health } = router;
  const due: DeferredCopy[] = [];
  const keys = new Set<string>();
  const recipients = new Set<string>();
  for (const name of fs.list(epoch.deferred).sort()) {
    const parts = parseDeferredName(name);
    if (parts === undefined || !isMessageId(parts.id)) continue;
    const { id, to, place } = parts;
    const key = `${id}~${to}~${place}`;
    keys.add(key);
    recipients.add(`inbox/${to}`);
    const expired = place === 'inbox' && isExpired(id, clock.now(), settings.owed);
    if (!deferral.takeIfDue(key, nowMs, settings.owed) && !expired) continue;
    const message = readCopy(router, name);
    if (message === undefined) continue;
    due.push({ name, message, to: to as AgentId, place: place as CopyPlace, expired });
  }
  deferral.keepOnly(keys);
  health.keepOnly('inbox/', recipients);
  return due;
}

function readCopy(
  { fs, epoch, health }: Router,
  name: string,
): DeferredCopy['message'] | undefined {
  const path = join(epoch.deferred, name);
  try {
    const text = Buffer.from(fs.read(path, MOST_COPY_BYTES).bytes).toString('utf8');
    const message = parseMessage(text);
    if (message === undefined) health.report(`deferred/${name}`, unreadable(path, 'no message'));
    return message;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    health.report(`deferred/${name}`, unreadable(path, code));
    return undefined;
  }
}

function unreadable(path: string, why: string): { red: boolean; message: string } {
  return { red: true, message: `An owed copy can't be read (${why}). It is kept: ${path}` };
}
