import { join } from 'node:path';
import { readMessageText } from '../hive/read-message.ts';
import type { AgentId } from '../protocol/addresses.ts';
import { systemCode } from '../protocol/errors.ts';
import { isMessageId, type MessageId } from '../protocol/ids.ts';
import { parseMessage } from '../protocol/parse-message.ts';
import type { CopyPlace, DeferredCopy } from '../routing/inputs.ts';
import { parseDeferredName } from '../spool/publish.ts';
import { isExpired } from './deferral.ts';
import type { Router } from './router.ts';
import { inputKey } from './spoken-for.ts';

/** Copies decided on in one pass; more follow in the next. */
const MOST_DUE = 500;

interface OwedCopy {
  name: string;
  id: MessageId;
  to: AgentId;
  place: CopyPlace;
}

/**
 * Reads the deferred copies whose next attempt is due. One is given up when it is too old and its inbox
 * has refused it in this router's time as well; before that, a mended inbox gets it however old it is.
 * @param spokenFor - see {@link inputKey}; such a copy was consumed by a batch already
 */
export function dueDeferred(
  router: Router,
  spokenFor: ReadonlySet<string>,
  nowMs: number,
): DeferredCopy[] {
  const { deferral, health } = router;
  const owed = groupByInbox(router, spokenFor);
  const due: DeferredCopy[] = [];
  const unreadable = new Set<string>();
  for (const [inbox, copies] of owed) {
    const most = MOST_DUE - due.length;
    if (most <= 0) break;
    for (const { copy, expired } of pickDue(router, inbox, copies, { most, nowMs })) {
      const message = readCopy(router, copy.name, unreadable);
      if (message !== undefined) due.push({ ...copy, message, expired });
    }
  }
  deferral.keepOnly(new Set(owed.keys()));
  health.keepOnly('inbox/', new Set([...owed.values()].flat().map(({ to }) => `inbox/${to}`)));
  health.keepOnly('deferred/', unreadable);
  return due;
}

function groupByInbox(
  { fs, epoch }: Router,
  spokenFor: ReadonlySet<string>,
): Map<string, OwedCopy[]> {
  const owed = new Map<string, OwedCopy[]>();
  for (const name of fs.list(epoch.deferred)) {
    const { id, to, place } = parseDeferredName(name) ?? {};
    if (!isMessageId(id) || spokenFor.has(inputKey({ from: 'deferred', name }))) continue;
    const copy = { name, id, to: to as AgentId, place: place as CopyPlace };
    const key = `${place}/${to}`;
    owed.set(key, [...(owed.get(key) ?? []), copy]);
  }
  for (const copies of owed.values()) copies.sort((a, b) => (a.id < b.id ? -1 : 1));
  return owed;
}

function pickDue(
  { deferral, settings, clock }: Router,
  inbox: string,
  copies: readonly OwedCopy[],
  { most, nowMs }: { most: number; nowMs: number },
): { copy: OwedCopy; expired: boolean }[] {
  const times = settings.owed;
  const tried = deferral.takeDue(inbox, copies, { nowMs, most, times });
  const isGivenUp = ({ id, place }: OwedCopy) =>
    place === 'inbox' && deferral.isRefusing(inbox) && isExpired(id, clock.now(), times);
  const givenUp = copies.filter(isGivenUp).slice(0, most);
  const retried = tried.filter((copy) => !givenUp.includes(copy));
  return [
    ...givenUp.map((copy) => ({ copy, expired: true })),
    ...retried.slice(0, most - givenUp.length).map((copy) => ({ copy, expired: false })),
  ];
}

function readCopy(
  { fs, epoch, health }: Router,
  name: string,
  unreadable: Set<string>,
): DeferredCopy['message'] | undefined {
  const path = join(epoch.deferred, name);
  let why = 'no message';
  try {
    const text = readMessageText(fs, path);
    const message = parseMessage(text);
    if (message !== undefined) return message;
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    why = code;
  }
  const message = `An owed copy can't be read (${why}). It is kept: ${path}`;
  unreadable.add(`deferred/${name}`);
  health.report(`deferred/${name}`, { red: true, message });
  return undefined;
}
