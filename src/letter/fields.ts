import { isJsonObject, type JsonObject } from './json-object.ts';
import type { Repair } from './letter.ts';
import { LETTER_FIELDS, type LetterField } from './letter-schema.ts';

/** A letter's fields by whose they are; what belongs to the router is left out. */
export interface SortedFields {
  /** What the sender supplies, by the proper name; no field is null. */
  own: Partial<Record<LetterField, unknown>>;
  /** Everything else, verbatim; undefined when there is nothing. */
  extra: JsonObject | undefined;
}

/** Fields of a delivered message that the router decides: in a letter they mean nothing. */
const ROUTER_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'from',
  'hops',
  'created_at',
  'requires_reply',
  'needs_human',
  'to_all',
  'notice',
  'held',
]);

const NOT_EXTRA: readonly string[] = [...ROUTER_FIELDS, ...LETTER_FIELDS];

/** Tells whether a field of a letter means nothing, because the router decides it. */
export function isRouterField(name: string): boolean {
  return ROUTER_FIELDS.has(name);
}

/** Other names that agents use, in {@link looseName} form; the first one present is taken. */
const ALIASES: Readonly<Record<LetterField, readonly string[]>> = {
  to: ['to', 'recipient', 'recipients'],
  act: ['act', 'type'],
  subject: ['subject', 'title'],
  body: ['body', 'message', 'text', 'content'],
  conversation: ['conversation', 'conversationid', 'thread'],
  in_reply_to: ['inreplyto', 'replyto'],
  reply_by: ['replyby'],
};

const IS_ALIAS: ReadonlySet<string> = new Set(Object.values(ALIASES).flat());

/**
 * Sorts a letter's fields into the sender's own and the rest. Another name for a field counts only where
 * the proper one is absent or null, so that no text is lost to a second name.
 * @param fields - with nothing in it that can do harm
 * @param repairs - `field-alias` is added here
 */
export function sortFields(fields: JsonObject, repairs: Set<Repair>): SortedFields {
  const own: SortedFields['own'] = {};
  const taken = new Set(NOT_EXTRA);
  const byLooseName = new Map<string, string>();
  for (const name of Object.keys(fields)) {
    const loose = looseName(name);
    if (IS_ALIAS.has(loose) && !taken.has(name) && !byLooseName.has(loose))
      byLooseName.set(loose, name);
  }
  for (const field of LETTER_FIELDS) {
    const name = isPresent(fields[field]) ? field : findAlias(field, fields, byLooseName);
    if (name === undefined) continue;
    own[field] = fields[name];
    taken.add(name);
    if (name !== field) repairs.add('field-alias');
  }
  return { own, extra: collectExtra(fields, taken) };
}

/** Writes a field's name without what agents vary in it: `inReplyTo`, `In-Reply-To`, `in_reply_to`. */
function looseName(name: string): string {
  return name.toLowerCase().replace(/[_\s-]/g, '');
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function findAlias(
  field: LetterField,
  fields: JsonObject,
  byLooseName: ReadonlyMap<string, string>,
): string | undefined {
  for (const alias of ALIASES[field]) {
    const name = byLooseName.get(alias);
    if (name !== undefined && isPresent(fields[name])) return name;
  }
  return undefined;
}

/**
 * Collects what is left. An `extra` object of the letter is taken apart, so that a delivered message sent
 * on keeps its extra fields where they were; a field of the letter itself wins over one of the same name.
 */
function collectExtra(fields: JsonObject, taken: ReadonlySet<string>): JsonObject | undefined {
  const extra = Object.create(null) as JsonObject;
  const { extra: nested } = fields;
  if (isJsonObject(nested)) Object.assign(extra, nested);
  let isEmpty = !isJsonObject(nested) || Object.keys(nested).length === 0;
  for (const name of Object.keys(fields)) {
    if (taken.has(name) || (name === 'extra' && isJsonObject(nested))) continue;
    extra[name] = fields[name];
    isEmpty = false;
  }
  return isEmpty ? undefined : extra;
}
