/**
 * Shows a row of the log to a person, one line a row.
 *
 * Rows are read back from a file that a program older or newer than this one wrote, or a person edited,
 * so no field is taken to be there or of its type: what is not a text or a number is left out. Nothing
 * from a row reaches the terminal but through `clean`.
 */

import { cutText, escapeLine, padText } from '../protocol/escape.ts';
import type { EventKind, LogRow } from '../protocol/event.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import { redactSecrets } from '../protocol/redact.ts';

/** How a row is shown. */
export interface FormatRowOptions {
  /** Writes SGR colour codes around the outcome. */
  color: boolean;
  /** Most characters of the line, colour codes not counted; no limit when it is absent or 0. */
  width?: number | undefined;
  /** Puts the date before the time. */
  date?: boolean | undefined;
}

/** A stretch of the line, and the colour it is in. */
interface Piece {
  text: string;
  sgr?: number | undefined;
}

/** A row as it may really be. */
type ReadRow = { readonly [Key in keyof LogRow]?: unknown };

const RESET = '\u001b[0m';
const DIM = 2;
const RED = 31;
const GREEN = 32;
const YELLOW = 33;
const COLORS: ReadonlyMap<unknown, number> = new Map<Outcome | EventKind, number>([
  ['delivered', GREEN],
  ['partial', YELLOW],
  ['held', YELLOW],
  ['bounced', RED],
  ['refused', RED],
  ['quarantined', RED],
  ['escalated', YELLOW],
  ['needs-human', YELLOW],
]);
const LABEL_WIDTH = 'quarantined'.length;
const ROUTE_WIDTH = 24;
const ACT_WIDTH = 'request'.length;
const NAMES_SHOWN = 3;
/** Longest text taken from one field, in code points; a subject has at most 300. */
const FIELD_LENGTH = 300;
const READ_LENGTH = 4 * FIELD_LENGTH;
const TIMESTAMP = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})/;

/** The field's text, fit for one line of a terminal; empty when it is no text and no number. */
function clean(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return cutText(escapeLine(redactSecrets(value.slice(0, READ_LENGTH))), FIELD_LENGTH);
}

function names(value: unknown): string {
  const list = (Array.isArray(value) ? value : [value]).filter((name) => clean(name) !== '');
  const shown = list.slice(0, NAMES_SHOWN).map(clean).join(', ');
  const more = list.length - NAMES_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function time({ ts }: ReadRow, withDate: boolean): string {
  const [, date = '----------', clock = '--:--:--'] = TIMESTAMP.exec(clean(ts)) ?? [];
  return withDate ? `${date} ${clock}` : clock;
}

function route({ from, to }: ReadRow): string {
  const sender = clean(from);
  const recipients = names(to);
  return recipients === '' ? sender : `${sender} → ${recipients}`.trimStart();
}

/** `not coder (undeliverable)`: whom a partly delivered letter did not reach. */
function unreached(failed: unknown): string {
  if (typeof failed !== 'object' || failed === null || Array.isArray(failed)) return '';
  return names(Object.entries(failed).map(([name, code]) => `${clean(name)} (${clean(code)})`));
}

/** `word text`, or nothing where there is no text. */
function told(word: string, text: string): string {
  return text === '' ? '' : `${word} ${text}`;
}

function details(row: ReadRow): string[] {
  const subject = clean(row.subject);
  const hops = typeof row.hops === 'number' && row.hops > 0 ? clean(row.hops) : '';
  return [
    subject === '' ? '' : `"${subject.replaceAll('"', '\\"')}"`,
    row.code === row.outcome ? '' : clean(row.code),
    told('hops', hops),
    told('not', unreached(row.failed)),
    told('owed', names(row.owed)),
    told('repaired', names(row.repairs)),
    row.outcome === 'quarantined' || row.kind === 'stray' ? told('file', clean(row.file)) : '',
    clean(row.note),
    clean(row.id),
  ].filter((detail) => detail !== '');
}

function pieces(row: ReadRow, options: FormatRowOptions): Piece[] {
  const label = row.kind === 'letter' ? row.outcome : row.kind;
  const columns = [padText(route(row), ROUTE_WIDTH), padText(clean(row.act), ACT_WIDTH)];
  return [
    { text: `${time(row, options.date === true)}  ` },
    { text: padText(clean(label), LABEL_WIDTH), sgr: COLORS.get(label) ?? DIM },
    { text: `  ${[...columns, ...details(row)].join('  ')}`.trimEnd() },
  ];
}

/** Cuts the line and not each piece, so that the ellipsis stands where the line ends. */
function cutPieces(line: readonly Piece[], width: number): Piece[] {
  let left = [...cutText(line.map((piece) => piece.text).join(''), width)];
  return line.map(({ text, sgr }) => {
    const length = [...text].length;
    const kept = left.slice(0, length).join('');
    left = left.slice(length);
    return { text: kept, sgr };
  });
}

/**
 * Renders a log row as one aligned line: time (UTC), outcome (for what is no letter, the kind), route,
 * act, then what there is to tell: subject, code where it says more than the outcome, hops, whom it did
 * not reach, repairs, the file of what was not routed, note, id. Never throws and never passes an escape
 * sequence on, whatever the row holds; secrets are taken out.
 * @param row - as read from log.jsonl
 * @returns one line, without a line feed; a longer name pushes what follows it to the right
 */
export function formatRow(row: LogRow, options: FormatRowOptions): string {
  const read: unknown = row;
  const line = pieces(typeof read === 'object' && read !== null ? read : {}, options);
  const width = Math.floor(options.width ?? 0);
  return (width >= 1 ? cutPieces(line, width) : line)
    .filter(({ text }) => text !== '')
    .map(({ text, sgr }) =>
      options.color && sgr !== undefined ? `\u001b[${sgr}m${text}${RESET}` : text,
    )
    .join('');
}
