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

/** More would only bury the first ones. */
const ISSUES_REPORTED = 20;

/**
 * Normalizes the fields of a letter: names, addresses, act and texts in the form that the rest of the
 * router reads, or everything that is wrong with them.
 * @param fields - the parsed object, within the depth limit, with nothing in it that can do harm
 * @param textRepairs - what was mended before; they come first in the result
 */
export function normalizeLetter(
  fields: JsonObject,
  limits: LetterLimits,
  textRepairs: Iterable<Repair> = [],
): ParsedLetter {
  const repairs = new Set(textRepairs);
  const { own, extra } = sortFields(fields, repairs);
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
  const addresses: unknown[] = [];
  for (const address of eachAddress(Array.isArray(to) ? to : [to])) {
    if (addresses.push(address) <= limits.recipients) continue;
    issues.push(tooManyRecipients(limits.recipients));
    return [];
  }
  const isReply = typeof own.in_reply_to === 'string' && own.in_reply_to.trim() !== '';
  if (addresses.length === 0 && !isReply) issues.push(NO_RECIPIENT);
  return addresses;
}

/** One after the other, since there may be half a million of them. */
function* eachAddress(parts: readonly unknown[]): Generator<unknown> {
  for (const part of parts) {
    if (typeof part !== 'string') yield part;
    else yield* eachName(part);
  }
}

function* eachName(part: string): Generator<string> {
  for (let start = 0; start <= part.length; ) {
    const comma = part.indexOf(',', start);
    const end = comma < 0 ? part.length : comma;
    const name = part.slice(start, end).trim().replace(/^@/, '').trim();
    if (name !== '') yield name;
    start = end + 1;
  }
}

function readAct(act: unknown, repairs: Set<Repair>): unknown {
  if (typeof act !== 'string') return act;
  const plain = act.trim().toLowerCase();
  if (plain !== act) repairs.add('act-case');
  return plain;
}

const LINE_BREAKS: readonly string[] = ['\v', '\f', '\r', '\u0085', '\u2028', '\u2029'];

/** By texts and not by a pattern, which takes four times as long over 250 000 lines. */
function linesOf(text: string): string[] {
  return LINE_BREAKS.reduce((all, mark) => all.split(mark).join('\n'), text).split('\n');
}

function readSubject(subject: unknown, repairs: Set<Repair>): unknown {
  if (typeof subject === 'number' || typeof subject === 'boolean') {
    repairs.add('subject-as-text');
    return String(subject);
  }
  if (typeof subject !== 'string') return subject;
  const lines = linesOf(subject);
  if (lines.length === 1) return subject;
  repairs.add('subject-one-line');
  const trimmed = lines.map((line) => line.trim());
  return trimmed.filter((line) => line !== '').join(' ');
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
  const isEmpty = typeof own.body !== 'string' && (body === '{}' || body === '[]');
  return [subject, isEmpty ? undefined : body].some((text) =>
    typeof text === 'string' ? VISIBLE.test(text) : text !== undefined,
  );
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
