import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { HistoryReader } from '../../src/history/history-reader.ts';
import { type Repository, recordBatches } from '../../src/history/recorder.ts';
import { createIdSource, type MessageId } from '../../src/protocol/ids.ts';
import type { HistoryRecord } from '../../src/protocol/record.ts';
import * as hives from './hive.ts';

const HOUR_MS = 3_600_000;

/** A history that records a message each time it is told to, at times that it is told. */
async function makeHistory() {
  const hive = hives.makeHive();
  const repository = await hives.prepare(hive);
  const say = async (timeMs: number, fields: object = {}): Promise<MessageId> => {
    const id = idAt(timeMs);
    const record = hives.makeMessage(hive, fields) as Required<HistoryRecord>;
    const message = { ...record.message, id, created_at: new Date(timeMs).toISOString() };
    await record1(repository, timeMs, { id, message });
    return id;
  };
  return { hive, repository, say };
}

async function record1(repository: Repository, timeMs: number, ...records: HistoryRecord[]) {
  const at = new Date(timeMs).toISOString();
  await recordBatches(repository, [{ batch: idAt(timeMs), at, records }]);
}

let drawn = 0;
function idAt(timeMs: number): MessageId {
  const random = () => (drawn++).toString(36).padStart(8, '0');
  return createIdSource({ now: () => timeMs, random }).next();
}

function read({ git }: Repository, signal?: AbortSignal): HistoryReader {
  const reader = new HistoryReader(git, signal);
  onTestFinished(async () => await reader[Symbol.asyncDispose]());
  return reader;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

test('a message is found by its id, whatever it holds, and another is not', async () => {
  const { repository, say } = await makeHistory();
  const body = `a\n\u0000\u2028${randomBytes(600_000).toString('base64')}\r\n`;
  const [long, short] = [await say(hives.NOON, { body }), await say(hives.NOON + 1)];
  const reader = read(repository);
  expect(await reader.message(long)).toMatchObject({ id: long, body });
  expect(await reader.message(short)).toMatchObject({ id: short, body: 'In two.' });
  const unknown = idAt(hives.NOON);
  expect(await reader.message(unknown)).toBeUndefined();
  const many = Array.from({ length: 100 }, (_, n) => [short, unknown, long][n % 3] as MessageId);
  const found = await collect(reader.messages(many));
  expect(found.map((message) => message?.id)).toEqual(
    many.map((id) => (id === unknown ? undefined : id)),
  );
});

test('originals are found as bytes', async () => {
  const { repository } = await makeHistory();
  const bytes = Buffer.from([0, 255, 10, 13, 10]);
  const id = idAt(hives.NOON);
  await record1(repository, hives.NOON, { id, original: bytes.toString('base64') });
  const reader = read(repository);
  expect(await reader.original(id)).toEqual(bytes);
  expect(await reader.message(id)).toBeUndefined();
  expect(await reader.original(idAt(hives.NOON))).toBeUndefined();
});

test('a walk gives the messages of a time, oldest first, over hours, days and years', async () => {
  const { repository, say } = await makeHistory();
  const times = [0, 1, 59, 60, 61, 24 * 60, 24 * 60 + 1, 400 * 24 * 60].map(
    (minutes) => Date.parse('2026-11-30T23:00:00Z') + minutes * 60_000,
  );
  const ids: MessageId[] = [];
  for (const time of times) ids.push(await say(time));
  const reader = read(repository);
  const walked = async (range: object) => {
    const messages = await collect(reader.walk(range));
    return messages.map(({ id }) => ids.indexOf(id));
  };
  expect(await walked({})).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(await walked({ sinceMs: times[2] })).toEqual([2, 3, 4, 5, 6, 7]);
  expect(await walked({ untilMs: times[4] })).toEqual([0, 1, 2, 3, 4]);
  expect(await walked({ sinceMs: times[3], untilMs: times[3] })).toEqual([3]);
  expect(await walked({ sinceMs: (times[3] ?? 0) + 1, untilMs: (times[4] ?? 0) - 1 })).toEqual([]);
  expect(await walked({ sinceMs: (times[7] ?? 0) + 1 })).toEqual([]);
});

test('a conversation is found by the trailers of its commits, and no other of a like name', async () => {
  const { repository, say } = await makeHistory();
  const first = await say(hives.NOON, { conversation: 'c.1' });
  await say(hives.NOON + 1, { conversation: 'c.12' });
  await say(hives.NOON + 2, { conversation: 'cx1', subject: 'Conversation: c.1' });
  const last = await say(hives.NOON + 3, { conversation: 'c.1' });
  const reader = read(repository);
  expect(await reader.ofConversation('c.1')).toEqual([first, last]);
  expect(await reader.ofConversation('c.')).toEqual([]);
});

test('the commit of a moment shows the files as they were', async () => {
  const { repository, say } = await makeHistory();
  const id = await say(hives.NOON);
  await say(hives.NOON + HOUR_MS);
  const reader = read(repository);
  expect(await reader.commitAt(hives.NOON - 1000)).toBeUndefined();
  const commit = await reader.commitAt(hives.NOON + HOUR_MS - 1000);
  const path = `messages/${hives.PLACE}`;
  expect((await reader.directory(commit ?? '', 'messages/2026-11-30')).map((e) => e.name)).toEqual([
    '17',
  ]);
  expect(await reader.file(commit ?? '', `${path}/${id}.json`)).toBeInstanceOf(Buffer);
  expect(await reader.file(commit ?? '', path)).toBeUndefined();
});

test('a history without a commit holds nothing', async () => {
  const { repository } = await makeHistory();
  const reader = read(repository);
  expect(await reader.message(idAt(hives.NOON))).toBeUndefined();
  expect(await collect(reader.walk({}))).toEqual([]);
  expect(await reader.commitAt(Date.now())).toBeUndefined();
  expect(await reader.ofConversation('c')).toEqual([]);
});

test('what is no message there is passed over', async () => {
  const { repository, hive, say } = await makeHistory();
  const id = await say(hives.NOON);
  const record = hives.makeMessage(hive) as Required<HistoryRecord>;
  const { code: _, ...broken } = record.message;
  await record1(repository, hives.NOON, { ...record, message: broken as typeof record.message });
  const reader = read(repository);
  expect((await collect(reader.walk({}))).map((message) => message.id)).toEqual([id]);
});

test('reading goes on while another is half way, and closing leaves no git', async () => {
  const { repository, say } = await makeHistory();
  const ids: MessageId[] = [];
  for (let n = 0; n < 3; n++) ids.push(await say(hives.NOON + n, { body: 'x'.repeat(300_000) }));
  const reader = read(repository);
  const seen: string[] = [];
  for await (const { id } of reader.walk({})) {
    const again = await Promise.all(ids.map((each) => reader.message(each)));
    expect(again.map((message) => message?.id)).toEqual(ids);
    seen.push(id);
    break;
  }
  expect(seen).toEqual([ids[0]]);
});

test('an abort ends reading with its reason', async () => {
  const { repository, say } = await makeHistory();
  const id = await say(hives.NOON);
  const stopping = new AbortController();
  const reader = read(repository, stopping.signal);
  await reader.message(id);
  stopping.abort(new Error('enough'));
  await expect(reader.message(id)).rejects.toThrow('enough');
});

test('a damaged repository is an error, not an empty history', async () => {
  const { repository, hive } = await makeHistory();
  const { git } = repository;
  const nowhere = {
    ...git,
    run: (args: readonly string[], call = {}) =>
      git.run(args, { ...call, gitDir: `${hive.layout.root}/none` }),
  };
  const reader = read({ ...repository, git: nowhere });
  await expect(reader.message(idAt(hives.NOON))).rejects.toMatchObject({ code: 'git' });
});
