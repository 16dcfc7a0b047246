import { escapeLine } from '../protocol/escape.ts';
import type { HistoryRecord, RecordedBatch, RecordedMessage } from '../protocol/record.ts';

const SUBJECT_MOST = 72;
const NAMED_RECIPIENTS = 3;
const NAMED_FILES = 100;

/**
 * Writes the commit message of a batch: a subject for people, then one block of trailers, so that
 * `git log --grep` and `%(trailers)` find a batch by id, conversation, sender or recipient.
 * What comes from a letter can't hold a line feed or an escape sequence here.
 */
export function commitMessage(batch: RecordedBatch): string {
  const trailers = [['Batch', batch.batch], ...batch.records.flatMap(trailersOf)];
  const lines = trailers.map(([key = '', value = '']) => `${key}: ${escapeLine(value)}`);
  return `${subjectOf(batch.records)}\n\n${lines.join('\n')}\n`;
}

/**
 * Writes the commit message of a change of small files: `state: board.md, agents/coder/memory.md`.
 * @param changes - paths in the history; removed where there are no bytes
 */
export function stateMessage(
  changes: readonly { path: string; bytes: Uint8Array | undefined }[],
): string {
  const names = changes.map(({ path, bytes }) => {
    const name = path.slice(path.indexOf('/') + 1);
    return bytes === undefined ? `${name} removed` : name;
  });
  const listed = `state: ${names.join(', ')}`;
  const isShort = lengthOf(listed) <= SUBJECT_MOST || names.length === 1;
  const subject = isShort ? listed : `state: ${names.length} files`;
  const trailers = changes.slice(0, NAMED_FILES).map(({ path }) => `State: ${escapeLine(path)}`);
  return `${escapeLine(subject)}\n\n${trailers.join('\n')}\n`;
}

function trailersOf({ id, message }: HistoryRecord): string[][] {
  if (message === undefined) return [['Message-Id', id]];
  return [
    ['Message-Id', id],
    ['Conversation', message.conversation],
    ['From', message.from],
    ['To', message.to.join(', ')],
    ['Act', message.act],
  ];
}

function subjectOf(records: readonly HistoryRecord[]): string {
  const messages = records.flatMap(({ message }) => (message === undefined ? [] : [message]));
  const letters = records.length - messages.length;
  const [only] = messages;
  if (only !== undefined && records.length === 1) return cut(describe(only));
  const counts = [
    messages.length > 0 ? plural(messages.length, 'message') : '',
    letters > 0 ? `${plural(letters, 'letter')} kept as written` : '',
  ].filter((count) => count !== '');
  const ways = messages.map(way).join(', ');
  return cut(ways === '' ? counts.join(', ') : `${counts.join(', ')}: ${ways}`);
}

/** `planner → coder request "Split the parser"`; the subject alone is cut, so that it stays closed. */
function describe(message: RecordedMessage): string {
  const head = `${way(message)} ${escapeLine(message.act)}`;
  const tail = message.outcome === 'delivered' ? '' : ` (${escapeLine(message.code)})`;
  const subject = escapeLine(message.subject.trim());
  const room = SUBJECT_MOST - lengthOf(head) - lengthOf(tail) - ' ""'.length;
  if (subject === '' || room < 1) return `${head}${tail}`;
  return `${head} "${cut(subject, room)}"${tail}`;
}

function way({ from, to }: RecordedMessage): string {
  const named = to.slice(0, NAMED_RECIPIENTS).join(', ');
  const more = to.length - NAMED_RECIPIENTS;
  return escapeLine(`${from} → ${named}${more > 0 ? ` and ${more} more` : ''}`);
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Counts and cuts by code points: half of a surrogate pair would reach git as a replacement mark. */
function cut(text: string, most = SUBJECT_MOST): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join('')}…`;
}

function lengthOf(text: string): number {
  return [...text].length;
}
