/**
 * From a letter's fields, as its author wrote them, to the letter that was meant.
 *
 * Invariants: no field is lost but those that are the router's; a body is never changed but into text;
 * every issue is found, not only the first; no issue holds any of the letter's own text.
 *
 * Not here: whether an address, a parent or a conversation exists. Routing decides that.
 */
import { ACTS } from '../protocol/acts.ts';
import { type SortedFields, sortFields } from './fields.ts';
import type { JsonObject } from './json-object.ts';
import type { LetterIssue, LetterLimits, ParsedLetter, Repair } from './letter.ts';
import { type LetterField, letterSchema } from './letter-schema.ts';
import { nearestAct } from './nearest-act.ts';
import { copySafely } from './safe-json.ts';

/** More would only bury the first ones. */
const ISSUES_REPORTED = 20;

/**
 * Normalizes the fields of a letter: names, addresses, act and texts in the form that the rest of the
 * router reads, or everything that is wrong with them.
 * @param fields - the parsed object, within the depth limit
 * @param textRepairs - what was mended before; they come first in the result
 */
export function normalizeLetter(
  fields: JsonObject,
  limits: LetterLimits,
  textRepairs: readonly Repair[] = [],
): ParsedLetter {
  const repairs = new Set(textRepairs);
  const { own, extra } = sortFields(copySafely(fields, repairs), repairs);
  const issues: LetterIssue[] = [];
  const candidate = {
    to: readRecipients(own, limits, issues),
    act: readAct(own.act, repairs),
    subject: readSubject(own.subject, repairs),
    body: readBody(own.body, repairs),
    conversation: readReference(own.conversation),
    in_reply_to: readReference(own.in_reply_to),
    reply_by: readReference(own.reply_by),
  };
  const validated = letterSchema.safeParse(candidate);
  issues.push(...(validated.error?.issues ?? []).map((issue) => fieldIssue(issue, own)));
  if (!saysSomething(candidate, own)) issues.push(NOTHING_SAID);
  const [first, ...others] = issues;
  if (first !== undefined || !validated.success) {
    return failed([first ?? NOTHING_SAID, ...others], repairs);
  }
  const { in_reply_to: inReplyTo, reply_by: replyBy, ...same } = validated.data;
  return { ok: true, letter: { ...same, inReplyTo, replyBy, extra }, repairs: [...repairs] };
}

function failed(issues: [LetterIssue, ...LetterIssue[]], repairs: Set<Repair>): ParsedLetter {
  const [first, ...others] = issues;
  return {
    ok: false,
    issues: [first, ...others.slice(0, ISSUES_REPORTED - 1)],
    repairs: [...repairs],
  };
}

const NOTHING_SAID: LetterIssue = {
  code: 'nothing-said',
  path: 'body',
  message: 'The letter has neither a `body` nor a `subject` with anything in it.',
  hint: 'Write what you have to say into `body`, as text.',
};

const NO_RECIPIENT: LetterIssue = {
  code: 'no-recipient',
  path: 'to',
  message: 'The letter names no recipient, and no message that it replies to.',
  hint: 'Name an agent in `to`, or put the id of the message you answer into `in_reply_to`.',
};

function tooManyRecipients(limit: number): LetterIssue {
  return {
    code: 'too-many-recipients',
    path: 'to',
    message: `The letter names more than ${limit} recipients.`,
    hint: `Name at most ${limit}, write several letters, or write to "broadcast".`,
  };
}

function readRecipients(
  own: SortedFields['own'],
  limits: LetterLimits,
  issues: LetterIssue[],
): unknown {
  const { to = [] } = own;
  if (typeof to !== 'string' && !Array.isArray(to)) return to;
  const addresses = [to].flat().flatMap((part) => splitAddresses(part));
  if (addresses.length > limits.recipients) {
    issues.push(tooManyRecipients(limits.recipients));
    return [];
  }
  const isReply = typeof own.in_reply_to === 'string' && own.in_reply_to.trim() !== '';
  if (addresses.length === 0 && !isReply) issues.push(NO_RECIPIENT);
  return addresses;
}

function splitAddresses(part: unknown): unknown[] {
  if (typeof part !== 'string') return [part];
  const names = part.split(',').map((name) => name.trim().replace(/^@/, '').trim());
  return names.filter((name) => name !== '');
}

function readAct(act: unknown, repairs: Set<Repair>): unknown {
  if (typeof act !== 'string') return act;
  const plain = act.trim().toLowerCase();
  if (plain !== act) repairs.add('act-case');
  return plain;
}

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/;

function readSubject(subject: unknown, repairs: Set<Repair>): unknown {
  if (typeof subject === 'number' || typeof subject === 'boolean') {
    repairs.add('subject-as-text');
    return String(subject);
  }
  if (typeof subject !== 'string' || !LINE_BREAKS.test(subject)) return subject;
  repairs.add('subject-one-line');
  const lines = subject.split(LINE_BREAKS).map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

function readBody(body: unknown, repairs: Set<Repair>): unknown {
  if (body === undefined || typeof body === 'string') return body;
  repairs.add('body-as-json');
  return JSON.stringify(body, undefined, 2);
}

function readReference(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return value.trim() === '' ? undefined : value.trim();
}

// Something that shows: not white space, not a control or invisible format character.
const VISIBLE = /[^\s\p{Cc}\p{Cf}]/u;

/** Also true where a field is of a wrong kind: that is another issue, and one is enough. */
function saysSomething(
  { subject, body }: { subject: unknown; body: unknown },
  own: SortedFields['own'],
): boolean {
  return [subject, holdsNothing(own.body) ? undefined : body].some((text) =>
    typeof text === 'string' ? VISIBLE.test(text) : text !== undefined,
  );
}

/** Tells whether a value is `{}` or `[]`. */
function holdsNothing(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

const HINTS: Readonly<Record<Exclude<LetterField, 'act'>, string>> = {
  to: 'Name each recipient by its id, as text: "coder", or ["coder", "tester"].',
  subject: 'Write `subject` as one line of text.',
  body: 'Write `body` as text.',
  conversation: 'Copy `conversation` from the message you answer, or leave it out.',
  in_reply_to: 'Copy the `id` of the message you answer into `in_reply_to`, or leave it out.',
  reply_by: 'Write `reply_by` as a short text, such as 2026-11-30T17:00:00Z, or leave it out.',
};

function fieldIssue(
  issue: { path: PropertyKey[]; message: string },
  own: SortedFields['own'],
): LetterIssue {
  const field = issue.path[0] as LetterField;
  const index = issue.path[1];
  const isInList = index !== undefined && Array.isArray(own.to);
  const path = isInList ? `${field}[${String(index)}]` : field;
  const { message } = issue;
  if (field === 'act') return { code: 'bad-act', path, message, hint: actHint(own.act) };
  const code = field === 'to' ? 'bad-recipient' : 'bad-field';
  return { code, path, message, hint: HINTS[field] };
}

function actHint(act: unknown): string {
  const list = `Set \`act\` to one of ${ACTS.join(', ')}`;
  const nearest = typeof act === 'string' ? nearestAct(act.trim().toLowerCase()) : undefined;
  return nearest === undefined ? `${list}.` : `${list}; the nearest to yours is ${nearest}.`;
}
