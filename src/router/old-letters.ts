import { isMessageId, type MessageId, messageIdTime } from '../protocol/ids.ts';

/** A file of a letter that is done with. */
export interface OldLetter {
  id: MessageId;
  /** Its file name. */
  name: string;
}

/** How much of a mailbox stays. */
export interface Kept {
  /** So many of the latest, however old. */
  letters: number;
  /** All that were accepted after this moment; milliseconds since the epoch. */
  sinceMs: number;
}

const NAMES: Readonly<Record<'done' | 'sent', RegExp>> = {
  done: /^([0-9a-z]+-[0-9a-z]+)\.json$/,
  sent: /^(?:(?:bad|bounced|refused)-)?([0-9a-z]+-[0-9a-z]+)\..+$/,
};

/**
 * Picks the letters that are older than what stays, oldest first. Names alone tell: what is called like
 * no letter of a router is none. Also right when only a part of the names is there, since a letter with so
 * many newer ones among them has as many among all.
 */
export function pickOld(
  names: readonly string[],
  place: 'done' | 'sent',
  { letters, sinceMs }: Kept,
): OldLetter[] {
  const all = names.flatMap((name): OldLetter[] => {
    const id = NAMES[place].exec(name)?.[1];
    return isMessageId(id) ? [{ id, name }] : [];
  });
  const sorted = all.sort((a, b) => (a.id < b.id ? -1 : 1));
  const beyond = sorted.slice(0, Math.max(0, sorted.length - letters));
  return beyond.filter(({ id }) => messageIdTime(id) < sinceMs);
}
