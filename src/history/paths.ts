import { type MessageId, messageIdTime } from '../protocol/ids.ts';

/** Where the history keeps messages, a directory for each day and in it one for each hour (UTC). */
export const MESSAGES = 'messages';

/** Names the file of a message in the history. */
export function messagePath(id: MessageId): string {
  return `${MESSAGES}/${placeOf(id)}.json`;
}

/** Names the file of a letter's original in the history. */
export function originalPath(id: MessageId): string {
  return `letters/${placeOf(id)}`;
}

function placeOf(id: MessageId): string {
  return `${hourOf(messageIdTime(id))}/${id}`;
}

/** Names the directory of an hour, as in `2026-11-30/17`. */
export function hourOf(timeMs: number): string {
  const [day = '', clock = ''] = new Date(timeMs).toISOString().split('T');
  return `${day}/${clock.slice(0, 2)}`;
}
