import { cutText } from '../protocol/escape.ts';
import { parseStrictly } from '../protocol/parse-strictly.ts';
import { redactSecrets } from '../protocol/redact.ts';
import { isClientName } from './clients.ts';
import type { DoorbellEvent } from './events.ts';
import { MOMENTS, type Moment } from './moment.ts';
import { MOST_TOLD } from './state.ts';

/** Name of a file that `leaveEvent` has left: a time, a dash, eight random characters. */
const NAME = /^(\d{1,16}-[0-9a-z]{8})\.json$/;

/** Of this system's ids and of those of others of this shape: what can be a file's name in an inbox. */
const LETTER_ID = /^[A-Za-z0-9][\w.-]{0,127}$/;

/** Names that clients give to their events. */
const EVENT = /^[\w.]{1,64}$/;

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const NEED_LENGTH = 200;

/** A file with more than this is no event: ids of the fullest inbox that is told of letter by letter. */
export const MOST_EVENT_BYTES = 512 * 1024;

/** Reads the name of an event out of that of its file; nothing when it can't be one. */
export function parseEventName(file: string): string | undefined {
  return NAME.exec(file)?.[1];
}

/**
 * Reads an event that a hook left. Whoever can write into the agent's directory can write one, so nothing
 * in it is taken on trust: what does not fit is no event, and text is cut and free of secrets.
 */
export function parseEvent(text: string): DoorbellEvent | undefined {
  const value = parseStrictly(text)?.value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { kind, at, client, ...fields }: Record<string, unknown> = { ...value };
  if (!isTime(at) || !isClientName(client)) return undefined;
  if (kind === 'needs-human') return needsHuman({ kind, at, client }, fields);
  return kind === 'announced' ? announced({ kind, at, client }, fields) : undefined;
}

type Head<Kind> = Pick<DoorbellEvent, 'at' | 'client'> & { kind: Kind };

function needsHuman(
  head: Head<'needs-human'>,
  { what: told }: Record<string, unknown>,
): DoorbellEvent | undefined {
  const what = needOf(told);
  return what === undefined ? undefined : { ...head, what };
}

function announced(
  head: Head<'announced'>,
  { event, moment, why, ids }: Record<string, unknown>,
): DoorbellEvent | undefined {
  if (!isMoment(moment) || (why !== 'new' && why !== 'reminder') || !areIds(ids)) return undefined;
  const named = typeof event === 'string' && EVENT.test(event) ? { event } : {};
  return { ...head, ...named, moment, why, ids: [...new Set(ids)] };
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value));
}

function isMoment(value: unknown): value is Moment {
  return MOMENTS.some((moment) => moment === value);
}

function areIds(value: unknown): value is string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_TOLD) return false;
  return value.every((id) => typeof id === 'string' && LETTER_ID.test(id));
}

/** What a person has to decide, as the log may hold it. The log itself escapes what is unsafe. */
function needOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  return cutText(redactSecrets(value.slice(0, 4 * NEED_LENGTH)), NEED_LENGTH);
}
