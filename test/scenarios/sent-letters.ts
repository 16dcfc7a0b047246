/**
 * Letters as tables: what an agent wrote, and what becomes of it in the product. The letters of a table
 * go through one hive at once, each from a sender of its own, so that a table costs one router.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import type { LogRow } from '../../src/protocol/event.ts';
import type { Message } from '../../src/protocol/message.ts';
import { OUTCOME_OF, type OutcomeCode } from '../../src/protocol/outcomes.ts';
import { archiveName } from '../../src/routing/archive-name.ts';
import { HiveBench } from '../helpers/hive-bench.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** One letter, and what is right for it. */
export interface LetterCase {
  /** Ends the sentence that the table begins. */
  name: string;
  /** The file's content; an object is written as JSON. */
  text: unknown;
  /** What the row names as mended; nothing unless given. */
  repairs?: readonly string[];
  /** Fields of the message that coder gets; `delivered` unless a code is given. */
  arrives?: Partial<Message>;
  /** How it ends instead. */
  ends?: OutcomeCode;
  /** Line and column that the notice names. */
  at?: readonly [line: number, column: number];
  /** What else the notice says. */
  told?: RegExp;
}

/** What became of a letter. */
export interface SentLetter {
  id: string;
  sender: string;
  row: LogRow;
  /** Names and contents in the sender's `.sent`. */
  archived: [name: string, content: Buffer][];
  /** Names left in the sender's outbox. */
  left: string[];
  /** Files in inboxes that are from this sender. */
  copies: { to: string; text: string; message: Message }[];
  /** What the sender got. */
  notices: Message[];
}

const FILE = 'letter.json';
const RECIPIENTS = ['god', 'coder', 'tester'];

/** JSON text of a letter to coder whose body is what is given, between quotes and not escaped. */
export function withRawBody(rawBody: string): string {
  return `{"to":"coder","act":"inform","subject":"S","body":"${rawBody}"}`;
}

/** A whole letter to coder with some of its fields changed, or taken out where they are undefined. */
export function letterWith(fields: Record<string, unknown>): Record<string, unknown> {
  return { to: 'coder', act: 'inform', subject: 'S', body: 'B', ...fields };
}

/** Declares a table: a test for each letter, all sent through one hive. */
export function describeLetters(
  title: string,
  cases: readonly LetterCase[],
  settings: Record<string, unknown> = {},
): void {
  describe(`${title}`, () => {
    let sent: SentLetter[] = [];
    beforeAll(async () => {
      sent = await sendEach(
        cases.map(({ text }) => text),
        settings,
      );
    });
    it.each(cases.map((each, place) => ({ ...each, place })))('$name', ({ place, ...each }) => {
      checkLetter(sent[place] as SentLetter, each);
    });
  });
}

/** Sends letters through a hive, each from a sender of its own, and waits for as long as it takes. */
export async function sendEach(
  texts: readonly unknown[],
  settings: Record<string, unknown> = {},
): Promise<SentLetter[]> {
  const senders = texts.map((_, place) => `s${place}`);
  const dir = join(tempDir(), 'hive');
  const agents = [...RECIPIENTS, ...senders];
  await initHive({ dir, fs: createNodeFs(), agents, orchestrator: 'god' });
  writeFileSync(join(dir, 'hive.json'), JSON.stringify(settings));
  const bench = new HiveBench(dir);
  await bench.open();
  try {
    for (const [place, text] of texts.entries()) bench.write(`s${place}`, asBytes(text), FILE);
    await bench.settle();
  } finally {
    await bench.close();
  }
  const files = RECIPIENTS.flatMap((to) => copiesIn(dir, to));
  return senders.map((sender) => outcomeOf(sender, bench, files));
}

/** The bytes of a letter given as text, bytes, or an object. */
export function asBytes(text: unknown): Buffer {
  if (typeof text === 'string' || text instanceof Uint8Array) return Buffer.from(text);
  return Buffer.from(JSON.stringify(text));
}

function copiesIn(dir: string, to: string): SentLetter['copies'] {
  const inbox = join(dir, 'agents', to, 'inbox');
  const names = readdirSync(inbox).filter((name) => !name.startsWith('.'));
  return names.map((name) => {
    const text = readFileSync(join(inbox, name), 'utf8');
    return { to, text, message: JSON.parse(text) as Message };
  });
}

function outcomeOf(sender: string, bench: HiveBench, files: SentLetter['copies']): SentLetter {
  const [row, ...others] = bench.letterRows().filter(({ from }) => from === sender);
  if (row?.id === undefined || others.length > 0) throw new Error(`${others.length} more rows`);
  const outbox = join(bench.dir, 'agents', sender, 'outbox');
  const sentDir = join(outbox, '.sent');
  return {
    id: row.id,
    sender,
    row,
    archived: readdirSync(sentDir).map((name) => [name, readFileSync(join(sentDir, name))]),
    left: readdirSync(outbox).filter((name) => name !== '.sent'),
    copies: files.filter(({ message }) => message.from === sender),
    notices: bench.inbox(sender),
  };
}

/** Checks a letter against what is right for it, and what holds for every letter. */
export function checkLetter(sent: SentLetter, expected: Omit<LetterCase, 'name'>): void {
  const { row, archived, copies, notices } = sent;
  const code = expected.ends ?? 'delivered';
  const outcome = OUTCOME_OF[code];
  expect(row).toMatchObject({ code, outcome, file: FILE });
  expect(row.repairs ?? []).toEqual(expected.repairs ?? []);
  const claim = { id: sent.id, file: FILE } as Parameters<typeof archiveName>[0]['claim'];
  expect(archived).toEqual([[archiveName({ claim, outcome }), asBytes(expected.text)]]);
  expect(sent.left).toEqual([]);
  if (outcome !== 'delivered') {
    expect(copies).toEqual([]);
    return checkNotice(sent, code, expected);
  }
  expect(notices).toEqual([]);
  expect(copies.map(({ to }) => to)).toEqual(row.delivered);
  for (const { text, message } of copies) checkCopy(text, message, expected.arrives ?? {});
}

function checkCopy(text: string, message: Message, arrives: Partial<Message>): void {
  // Nothing but printable characters and line ends: `cat` can do no harm.
  expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
  expect(message).toMatchObject(arrives);
  expect(message.extra).toEqual(arrives.extra);
  expect(`${message.subject}${message.body}`.trim()).not.toBe('');
}

function checkNotice({ id, notices }: SentLetter, code: string, expected: Partial<LetterCase>) {
  expect(notices).toHaveLength(1);
  const [notice] = notices as [Message];
  expect(notice).toMatchObject({ from: 'system', act: 'inform', in_reply_to: id });
  expect(notice.notice).toEqual({ of: id, code, file: FILE });
  expect(notice.subject).toContain(code);
  if (expected.at === undefined) expect(notice.body).not.toMatch(/line \d/);
  else {
    const [line, column] = expected.at;
    expect(notice.body).toContain(`line ${line}, column ${column}`);
  }
  if (expected.told !== undefined) expect(notice.body).toMatch(expected.told);
}
