import {
  appendFileSync,
  closeSync,
  openSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';
import { asBytes, describeLetters, letterWith, sendEach, withRawBody } from './sent-letters.ts';

const WHOLE = JSON.stringify(letterWith({ body: 'one – two\nthree' }));
const FILE = 'slow.json';

const pathOf = (bench: HiveBench) => join(bench.dir, 'agents/planner/outbox', FILE);

/** Lets time pass as it does for a router: a pass at every poll. */
async function pass(bench: HiveBench, seconds: number): Promise<void> {
  for (let left = seconds; left > 0; left--) {
    bench.wait(1000);
    await bench.run();
  }
}

/** The letter has its one outcome: coder has it whole, and nobody was told anything. */
function expectWhole(bench: HiveBench): void {
  expect(bench.letterRows()).toMatchObject([{ outcome: 'delivered', file: FILE }]);
  expect(bench.inbox('coder').map(({ body }) => body)).toEqual(['one – two\nthree']);
  expect(bench.inbox('planner')).toEqual([]);
}

describe('A6. A half-written file', () => {
  it.each([
    ['in a text', 60],
    ['after a field', 14],
    ['after its first byte', 1],
    ['before its last byte', WHOLE.length],
    ['inside a character', Buffer.from(WHOLE).indexOf(0xe2) + 1],
  ])('whose writer stops for 10 s %s is waited for, and delivered whole', async (_where, bytes) => {
    const bench = await openHiveBench();
    const whole = Buffer.from(WHOLE);
    writeFileSync(pathOf(bench), whole.subarray(0, bytes));
    await pass(bench, 10);
    expect(bench.letterRows()).toEqual([]);
    expect(bench.list('agents/planner/outbox')).toContain(FILE);
    appendFileSync(pathOf(bench), whole.subarray(bytes));
    await pass(bench, 1);
    expectWhole(bench);
  });

  it('that grows a little every 20 s is waited for as long as it takes', async () => {
    const bench = await openHiveBench();
    const whole = Buffer.from(WHOLE);
    const file = openSync(pathOf(bench), 'wx');
    for (let at = 0; at < whole.length; at += 20) {
      writeSync(file, whole, at, Math.min(20, whole.length - at));
      await pass(bench, at + 20 < whole.length ? 20 : 1);
    }
    closeSync(file);
    expectWhole(bench);
  });

  it('that is empty for 29 s and then written is delivered whole', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench), '');
    await pass(bench, 29);
    writeFileSync(pathOf(bench), WHOLE);
    await pass(bench, 1);
    expectWhole(bench);
  });

  it('that is emptied and written anew counts from then on', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench), WHOLE.slice(0, 40));
    await pass(bench, 20);
    truncateSync(pathOf(bench));
    await pass(bench, 20);
    writeFileSync(pathOf(bench), WHOLE);
    await pass(bench, 1);
    expectWhole(bench);
  });

  it('that is closed but wrong is waited for a little, and what its writer makes of it counts', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench), '{"to":"nobody" "act":"inform"}');
    await pass(bench, 2);
    writeFileSync(pathOf(bench), WHOLE);
    await pass(bench, 1);
    expectWhole(bench);
  });

  it('whose router is replaced in the meantime is waited for all the same', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench), WHOLE.slice(0, 40));
    await pass(bench, 20);
    await bench.restart();
    await pass(bench, 20);
    appendFileSync(pathOf(bench), WHOLE.slice(40));
    await pass(bench, 1);
    expectWhole(bench);
  });

  it('holds up no other letter of its sender', async () => {
    const bench = await openHiveBench();
    writeFileSync(pathOf(bench), WHOLE.slice(0, 40));
    bench.write('planner', letterWith({ body: 'later' }), 'later.json');
    await pass(bench, 1);
    expect(bench.inbox('coder').map(({ body }) => body)).toEqual(['later']);
  });
});

describeLetters(
  'A6. A file that stays unfinished for 30 s is quarantined, its sender told, kept:',
  [
    { name: 'empty', text: '', ends: 'empty-file', told: /empty/ },
    { name: 'white space', text: ' \r\n\t\n', ends: 'empty-file' },
    { name: 'a mark alone', text: '\ufeff', ends: 'empty-file' },
    {
      name: 'NULs, as a preallocating writer leaves',
      text: Buffer.alloc(4096),
      ends: 'empty-file',
    },
    {
      name: 'cut in a text',
      text: WHOLE.slice(0, 60),
      ends: 'cut-off',
      at: [1, 51],
      told: /one go|again/,
    },
    {
      name: 'cut after a field',
      text: '{"to":"coder",\n"act":"inform",\n',
      ends: 'cut-off',
      at: [1, 1],
    },
    {
      name: 'cut after a backslash',
      text: '{"to":"coder","body":"x\\',
      ends: 'cut-off',
      at: [1, 22],
    },
    { name: 'cut in a literal', text: '{"to":"coder","x":tru', ends: 'cut-off', at: [1, 1] },
    { name: 'cut in a comment', text: '{"to":"coder" /* x', ends: 'cut-off', at: [1, 15] },
    { name: 'cut in a nested list', text: '{"a":1,\n"to":["coder"', ends: 'cut-off', at: [2, 6] },
    {
      name: 'cut in UTF-16',
      text: Buffer.from(WHOLE.slice(0, 40), 'utf16le'),
      ends: 'cut-off',
      at: [1, 40],
    },
  ],
);

describeLetters('A7. What is no object is quarantined and reaches nobody:', [
  {
    name: 'null',
    text: 'null',
    ends: 'not-an-object',
    told: /null, and a letter is a JSON object/,
  },
  { name: '[]', text: '[]', ends: 'not-an-object', told: /one file for each letter/ },
  { name: '"hi"', text: '"hi"', ends: 'not-an-object', told: /a string/ },
  { name: '42', text: '42', ends: 'not-an-object', told: /a number/ },
  { name: 'true', text: 'true\n', ends: 'not-an-object' },
  {
    name: 'a list of letters',
    text: [letterWith({}), letterWith({})],
    ends: 'not-an-object',
    told: /one file for each letter/,
  },
  {
    name: 'a list of letters with a trailing comma',
    text: `[${WHOLE},]`,
    ends: 'not-an-object',
    told: /one file for each letter/,
  },
  {
    name: 'a letter in a string, encoded twice',
    text: JSON.stringify(WHOLE),
    ends: 'not-an-object',
  },
  {
    name: 'a letter on each line',
    text: `${WHOLE}\n${WHOLE}\n`,
    ends: 'not-json',
    at: [2, 1],
    told: /one JSON object into each file/,
  },
  {
    name: 'two letters with a comma between',
    text: `${WHOLE},${WHOLE}`,
    ends: 'not-json',
    at: [1, WHOLE.length + 1],
  },
  { name: 'prose', text: 'Please ask coder to help.', ends: 'not-json', at: [1, 1] },
  { name: 'YAML', text: 'to: coder\nact: inform\n', ends: 'not-json', at: [1, 1] },
  {
    name: 'an object that holds nothing',
    text: '{}',
    ends: 'no-recipient',
    told: /act.*\n.*neither/s,
  },
]);

describe('A8. Repair', () => {
  it('completes no beginning of a letter, however much of it there is', async () => {
    const damaged = `{"to":["coder",],"act":"inform", // x\n${withRawBody('a\\d\nb').slice(15)}`;
    const texts = [WHOLE, `\`\`\`json\n${damaged}\n\`\`\``].flatMap((text) =>
      Array.from({ length: text.length }, (_, length) => text.slice(0, length)),
    );
    const cut = texts.filter((text) => !text.includes('"}'));
    const bench = await openHiveBench({ settings: { budget: { lettersPerSender: 1000 } } });
    for (const [place, text] of cut.entries()) bench.write('planner', text, `${place}.json`);
    await bench.settle();
    expect(bench.letterRows()).toHaveLength(cut.length);
    expect(bench.letterRows().filter(({ outcome }) => outcome !== 'quarantined')).toEqual([]);
    expect(bench.inbox('coder')).toEqual([]);
    expect(bench.list('agents/planner/outbox/.sent')).toHaveLength(cut.length);
  });
});

describeLetters('A8. Valid JSON is delivered as it is, with nothing repaired:', [
  {
    name: 'every escape',
    text: withRawBody('\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u0000 \\uD83D\\uDE00'),
    arrives: { body: '" \\ / \b \f \n \r \t \0 😀' },
  },
  {
    name: 'white space wherever it may be',
    text: ' {\r\n\t"to" : "coder" ,\n"act":"inform" , "body" : "B" }\n\n',
    arrives: { body: 'B' },
  },
  {
    name: 'what would be mended outside of strings',
    text: letterWith({ body: '```json\n{"a":1,} // x /* y */\n```' }),
    arrives: { body: '```json\n{"a":1,} // x /* y */\n```' },
  },
  {
    name: 'literals and numbers of every form',
    text: '{"to":"coder","act":"inform","body":"B","x":[true,false,null,-0.5e-3,1E+2]}',
    arrives: { extra: { x: [true, false, null, -0.0005, 100] } },
  },
]);

describe('A6. The original of an unfinished file', () => {
  it('is kept byte for byte also where its bytes are no text', async () => {
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0x00, 0x80]);
    const [sent] = await sendEach([bytes]);
    expect(sent?.row.outcome).toBe('quarantined');
    expect(sent?.archived.map(([, content]) => content)).toEqual([asBytes(bytes)]);
  });
});
