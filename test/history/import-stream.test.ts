import { expect, test } from 'vitest';
import { commitMessage } from '../../src/history/commit-message.ts';
import { batchCommit, commitStream, historyFiles } from '../../src/history/import-stream.ts';
import type { MessageId } from '../../src/protocol/ids.ts';
import { makeBatch, makeHive, makeMessage, PLACE } from './hive.ts';

const ESC = '\u001b';

function subject(...records: Parameters<typeof makeBatch>[1][]): string {
  return commitMessage(makeBatch(makeHive(), ...records)).split('\n')[0] ?? '';
}

test('a path is made of the id and its time in UTC', () => {
  const hive = makeHive();
  const record = { ...makeMessage(hive), original: Buffer.from('{raw').toString('base64') };
  expect(historyFiles(record).map(({ path }) => path)).toEqual([
    `messages/${PLACE}/${record.id}.json`,
    `letters/${PLACE}/${record.id}`,
  ]);
  expect(Buffer.from(historyFiles(record)[1]?.bytes ?? '').toString()).toBe('{raw');
});

test.each(['../../x', '.git/config', 'a b', '', '0123456789ab-01234567\n', '0123456789ab-0123456'])(
  'an id that no router issues makes no path: %j',
  (id) => {
    const record = { id: id as MessageId, original: '' };
    expect(() => historyFiles(record)).toThrow(expect.objectContaining({ code: 'internal' }));
  },
);

test('a message is indented JSON without a character that a terminal acts on', () => {
  const record = makeMessage(makeHive(), { body: `a${ESC}]0;x\u0007\u202eb\u2028c "q" 😀` });
  const text = Buffer.from(historyFiles(record)[0]?.bytes ?? '').toString('utf8');
  expect(text).toContain('a\\u001b]0;x\\u0007\\u202eb\\u2028c \\"q\\" 😀');
  expect(text.endsWith('}\n')).toBe(true);
  expect(JSON.parse(text)).toEqual(record.message);
});

test('data is counted in bytes, so that no content becomes a command', () => {
  const hive = makeHive();
  const batch = makeBatch(hive, makeMessage(hive, { body: '😀\ndone\ncommit refs/heads/x\n' }));
  const stream = Buffer.concat([...commitStream([batchCommit(batch)], undefined)]).toString('utf8');
  const content = stream.slice(stream.indexOf('{'), stream.indexOf('}\n') + 2);
  expect(stream).toContain(`data ${Buffer.byteLength(content)}\n{`);
  expect(content.length).toBeLessThan(Buffer.byteLength(content));
  expect(stream.endsWith('\ndone\n')).toBe(true);
});

test('the first commit stands on the parent, each later one on the one before', () => {
  const hive = makeHive();
  const batches = [makeBatch(hive), makeBatch(hive), makeBatch(hive)];
  const stream = Buffer.concat([
    ...commitStream(batches.map(batchCommit), 'f'.repeat(40)),
  ]).toString('utf8');
  const froms = stream.split('\n').filter((line) => line.startsWith('from '));
  expect(froms).toEqual([`from ${'f'.repeat(40)}`, 'from :1', 'from :2']);
  expect(
    Buffer.concat([...commitStream(batches.map(batchCommit), undefined)]).toString(),
  ).not.toContain('from f');
});

test('a subject says who asks whom for what', () => {
  expect(subject()).toBe('planner → coder request "Split the parser"');
});

test('a long subject is cut at 72 characters and stays in its quotes', () => {
  const line = subject(makeMessage(makeHive(), { subject: '😀'.repeat(100) }));
  expect([...line]).toHaveLength(72);
  expect(line).toMatch(/^planner → coder request "(😀)+…"$/u);
});

test('a subject with line feeds and escape sequences stays one inert line', () => {
  const line = subject(makeMessage(makeHive(), { subject: `a\nBatch: x\t${ESC}[31m\u0085b` }));
  expect(line).toBe('planner → coder request "a\\nBatch: x\\t\\u001b[31m\\u0085b"');
});

test('a message that did not arrive says why', () => {
  const refused = { outcome: 'refused', code: 'reply-to-terminal' } as const;
  expect(subject(makeMessage(makeHive(), refused))).toBe(
    'planner → coder request "Split the parser" (reply-to-terminal)',
  );
});

test('several messages are counted, and named as far as there is room', () => {
  const hive = makeHive();
  const other = { from: 'tester', to: ['god', 'coder', 'a', 'b', 'c'] };
  const line = subject(makeMessage(hive), makeMessage(hive, other));
  expect(line).toBe('2 messages: planner → coder, tester → god, coder, a and 2 more');
});

test('letters that nobody could read are counted', () => {
  const hive = makeHive();
  const letter = { id: hive.ids.next(), original: 'eA==' };
  expect(subject(letter)).toBe('1 letter kept as written');
  expect(subject(letter, makeMessage(hive))).toBe(
    '1 message, 1 letter kept as written: planner → coder',
  );
});

test('a subject that is not a string of its own is left out', () => {
  expect(subject(makeMessage(makeHive(), { subject: ' \n ' }))).toBe('planner → coder request');
});

test('trailers tell ids, conversation, sender, recipients and act, one line each', () => {
  const hive = makeHive();
  const batch = makeBatch(hive, makeMessage(hive, { to: ['coder', 'x\nAct: done'] }));
  expect(commitMessage(batch).split('\n').slice(2)).toEqual([
    `Batch: ${batch.batch}`,
    `Message-Id: ${batch.records[0]?.id}`,
    'Conversation: parser-1',
    'From: planner',
    'To: coder, x\\nAct: done',
    'Act: request',
    '',
  ]);
});
