import { describeLetters, letterWith, withRawBody } from './sent-letters.ts';

const control = ['control-characters'];
const backslashes = ['path-backslashes'];

describeLetters(
  'A1. A raw control character in a string arrives exactly and is named as repaired:',
  [
    { name: 'LF', text: withRawBody('a\nb'), repairs: control, arrives: { body: 'a\nb' } },
    { name: 'CR', text: withRawBody('a\rb'), repairs: control, arrives: { body: 'a\rb' } },
    { name: 'CRLF', text: withRawBody('a\r\nb'), repairs: control, arrives: { body: 'a\r\nb' } },
    { name: 'TAB', text: withRawBody('\ta\tb\t'), repairs: control, arrives: { body: '\ta\tb\t' } },
    {
      name: 'VT, FF and BS',
      text: withRawBody('\va\fb\bc'),
      repairs: control,
      arrives: { body: '\va\fb\bc' },
    },
    {
      name: 'right after and before a quote, and between escapes',
      text: withRawBody('\n\\"\n\\n\n\\u00e9\n'),
      repairs: control,
      arrives: { body: '\n"\n\n\né\n' },
    },
    {
      name: 'between the halves of a surrogate pair written as escapes',
      text: withRawBody('\\ud83d\\ude00\n\\ud83d\n\\ude00'),
      repairs: [...control, 'lone-surrogates'],
      arrives: { body: '😀\n\ufffd\n\ufffd' },
    },
    {
      name: 'in the subject, which becomes one line',
      text: '{"to":"coder","act":"inform","subject":"one\r\n two\n","body":"B"}',
      repairs: [...control, 'subject-one-line'],
      arrives: { subject: 'one two', body: 'B' },
    },
    {
      name: 'around the recipient and the act',
      text: '{"to":"coder\n","act":"\tinform","body":"B"}',
      repairs: [...control, 'act-case'],
      arrives: { act: 'inform', body: 'B' },
    },
    {
      name: 'in a field of its own and its name',
      text: '{"to":"coder","act":"inform","body":"B","my\nkey":{"in":["x\ty"]}}',
      repairs: control,
      arrives: { extra: { 'my\nkey': { in: ['x\ty'] } } },
    },
    {
      name: 'in a thousand lines',
      text: withRawBody('line\n'.repeat(1000)),
      repairs: control,
      arrives: { body: 'line\n'.repeat(1000) },
    },
  ],
);

describeLetters('A1. What JSON allows in a string arrives exactly and is no repair:', [
  {
    name: 'line separators, DEL, C1 and invisible characters',
    text: withRawBody('a\u2028b\u2029c\u007fd\u0085e\u200bf\ufeffg\u00adh\u202ei'),
    arrives: { body: 'a\u2028b\u2029c\u007fd\u0085e\u200bf\ufeffg\u00adh\u202ei' },
  },
  {
    name: 'emoji, combining marks and planes beyond the first',
    text: withRawBody('👩‍👩‍👧 e\u0301 𝒳 \u{10ffff}'),
    arrives: { body: '👩‍👩‍👧 e\u0301 𝒳 \u{10ffff}' },
  },
]);

describeLetters(
  'A2. A backslash before a raw line break, or ESC and NUL, arrive exactly as text:',
  [
    {
      name: 'a shell continuation',
      text: withRawBody('curl \\\n  -s x'),
      repairs: ['backslash-newline'],
      arrives: { body: 'curl \\\n  -s x' },
    },
    {
      name: 'a shell continuation with CRLF, and one with CR',
      text: withRawBody('a \\\r\nb \\\rc'),
      repairs: ['backslash-newline'],
      arrives: { body: 'a \\\r\nb \\\rc' },
    },
    {
      name: 'a continuation after an escaped backslash, which is a line break alone',
      text: withRawBody('a \\\\\nb'),
      repairs: control,
      arrives: { body: 'a \\\nb' },
    },
    {
      name: 'a backslash before TAB and before ESC',
      text: withRawBody('a\\\tb\\\u001bc'),
      repairs: ['backslash-newline'],
      arrives: { body: 'a\\\tb\\\u001bc' },
    },
    {
      name: 'a continuation and a raw line break in one text, with an escaped quote',
      text: withRawBody('say \\"x\\" \\\n  y\nz'),
      repairs: [...control, 'backslash-newline'],
      arrives: { body: 'say "x" \\\n  y\nz' },
    },
    {
      name: 'a continuation in a Windows command',
      text: withRawBody('copy C:\\Users\\x \\\n D:\\y'),
      repairs: ['backslash-newline', 'path-backslashes'],
      arrives: { body: 'copy C:\\Users\\x \\\n D:\\y' },
    },
    {
      name: 'ESC, NUL and an OSC sequence',
      text: withRawBody('\u001b[31mred\u001b[0m \u0000 \u001b]0;title\u0007'),
      repairs: control,
      arrives: { body: '\u001b[31mred\u001b[0m \u0000 \u001b]0;title\u0007' },
    },
    {
      name: 'the same written as escapes, which is no repair',
      text: letterWith({ body: '\u001b[31mred\u0000\u0007' }),
      arrives: { body: '\u001b[31mred\u0000\u0007' },
    },
    {
      name: 'a raw C1 sequence introducer',
      text: letterWith({ body: '\u009b31mred' }),
      arrives: { body: '\u009b31mred' },
    },
  ],
);

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf16be = (text: string): Buffer => utf16(text).swap16();
const accented = JSON.stringify(letterWith({ body: 'é – 😀\n' }));

describeLetters('A3. A letter in another Unicode encoding is delivered:', [
  {
    name: 'UTF-8 with a mark',
    text: `\ufeff${accented}`,
    repairs: ['bom'],
    arrives: { body: 'é – 😀\n' },
  },
  {
    name: 'UTF-8 with two marks, as a concatenation leaves',
    text: `\ufeff\ufeff${accented}`,
    repairs: ['bom'],
    arrives: { body: 'é – 😀\n' },
  },
  {
    name: 'UTF-16 LE with a mark and CRLF line ends, as PowerShell writes',
    text: utf16(`\ufeff${accented}\r\n`),
    repairs: ['utf-16'],
    arrives: { body: 'é – 😀\n' },
  },
  {
    name: 'UTF-16 BE with a mark',
    text: utf16be(`\ufeff${accented}`),
    repairs: ['utf-16'],
    arrives: { body: 'é – 😀\n' },
  },
  {
    name: 'UTF-16 without a mark, either way',
    text: utf16be(accented),
    repairs: ['utf-16'],
    arrives: { body: 'é – 😀\n' },
  },
  {
    name: 'UTF-16 with a trailing comma, a comment and a raw line break',
    text: utf16('\ufeff{"to":"coder", // who\n"act":"inform","body":"a\r\nb",}'),
    repairs: ['utf-16', 'comments', ...control, 'trailing-comma'],
    arrives: { body: 'a\r\nb' },
  },
  {
    name: 'but one in UTF-32, which is none of ours, is not guessed at',
    text: Buffer.from(
      [...accented].flatMap((c) => [...Buffer.from(c.charCodeAt(0) < 256 ? c : '?'), 0, 0, 0]),
    ),
    ends: 'not-json',
    at: [1, 2],
  },
  {
    name: 'but UTF-16 that ends inside a character is cut off',
    text: utf16(`\ufeff${accented}`).subarray(0, -1),
    ends: 'cut-off',
    at: [1, 1],
  },
]);

const inFence = '{\n"to":"coder","act":"inform","body":"B"\n}';

describeLetters('A4. What surrounds or decorates the object is taken off and named:', [
  {
    name: 'a fence',
    text: `\`\`\`json\n${inFence}\n\`\`\`\n`,
    repairs: ['code-fence'],
    arrives: { body: 'B' },
  },
  {
    name: 'a bare fence',
    text: `\`\`\`\n${inFence}\n\`\`\``,
    repairs: ['code-fence'],
    arrives: { body: 'B' },
  },
  {
    name: 'a fence of tildes, indented, with blank lines and CRLF',
    text: `\r\n  ~~~~ JSON5\r\n\r\n${inFence}\r\n\r\n  ~~~~\r\n\r\n`.replace(
      '~~~~ JSON5',
      '~~~~JSON5',
    ),
    repairs: ['code-fence'],
    arrives: { body: 'B' },
  },
  {
    name: 'a fence around a body that holds one',
    text: `\`\`\`json\n${withRawBody('```js\\nx()\\n```')}\n\`\`\``,
    repairs: ['code-fence'],
    arrives: { body: '```js\nx()\n```' },
  },
  {
    name: 'trailing commas at every level',
    text: '{"to":["coder",],"act":"inform","body":"B","x":{"y":[1,[2,],],},}',
    repairs: ['trailing-comma'],
    arrives: { extra: { x: { y: [1, [2]] } } },
  },
  {
    name: 'a trailing comma before a comment',
    text: '{"to":"coder","act":"inform","body":"B", // last\n /* , */ }',
    repairs: ['comments', 'trailing-comma'],
    arrives: { body: 'B' },
  },
  {
    name: 'comments before, after and between, with brackets and quotes in them',
    text: '// "{\n/* } */ {"to":/**/"coder", // ]"\r\n"act":"inform","body":"no // comment /* here */"} // end',
    repairs: ['comments'],
    arrives: { body: 'no // comment /* here */' },
  },
  {
    name: 'no-break spaces between tokens, as copied from a page',
    text: '{\u00a0"to":"coder",\u00a0"act":"inform",\u2003"body":"a\u00a0b"}',
    repairs: ['odd-white-space'],
    arrives: { body: 'a\u00a0b' },
  },
]);

describeLetters('A4. What could mean more than one thing is quarantined, with line and column:', [
  {
    name: 'prose around a fence',
    text: `Here it is:\n\`\`\`json\n${inFence}\n\`\`\``,
    ends: 'not-json',
    at: [1, 1],
  },
  {
    name: 'prose after the object',
    text: `${inFence}\nDone!`,
    ends: 'not-json',
    at: [4, 1],
    told: /one JSON object into each file/,
  },
  {
    name: 'two commas',
    text: '{"to":"coder",,"act":"inform","body":"B"}',
    ends: 'not-json',
    at: [1, 15],
  },
  { name: 'a comma alone', text: '{,}', ends: 'not-json', at: [1, 2] },
  { name: 'a missing comma', text: '{"to":"coder"\n"act":"inform"}', ends: 'not-json', at: [2, 1] },
  { name: 'single quotes', text: "{'to':'coder'}", ends: 'not-json', at: [1, 2] },
  { name: 'names without quotes', text: '{to:"coder"}', ends: 'not-json', at: [1, 2] },
  {
    name: 'Python literals',
    text: '{"to":"coder","act":"inform","body":None}',
    ends: 'not-json',
    at: [1, 37],
  },
  {
    name: 'a quote inside a text that was not escaped',
    text: '{"to":"coder",\n"act":"inform",\n"body":"say "hi" to all"}',
    ends: 'not-json',
    at: [3, 14],
    told: /double quote inside a text as \\"/,
  },
]);

describeLetters('A5. Single backslashes become text where no escape can be meant:', [
  {
    name: 'C:\\Users\\x',
    text: withRawBody('C:\\Users\\x'),
    repairs: backslashes,
    arrives: { body: 'C:\\Users\\x' },
  },
  {
    name: 'a share',
    text: withRawBody('\\\\Server\\Share'),
    repairs: backslashes,
    arrives: { body: '\\\\Server\\Share' },
  },
  {
    name: 'a path with letters beyond ASCII, and a raw line break',
    text: withRawBody('D:\\Über\\Ægir\nE:\\Öl'),
    repairs: [...control, ...backslashes],
    arrives: { body: 'D:\\Über\\Ægir\nE:\\Öl' },
  },
  {
    name: 'a regular expression with quotes',
    text: withRawBody('grep \\"\\d+\\.\\w*\\" x'),
    repairs: backslashes,
    arrives: { body: 'grep "\\d+\\.\\w*" x' },
  },
  {
    name: '`\\users`, which is no Unicode escape',
    text: withRawBody('C:\\users\\x'),
    repairs: backslashes,
    arrives: { body: 'C:\\users\\x' },
  },
  {
    name: 'in the subject and in a field of its own',
    text: '{"to":"coder","act":"inform","subject":"C:\\Windows","cwd":"C:\\Program Files"}',
    repairs: backslashes,
    arrives: { subject: 'C:\\Windows', extra: { cwd: 'C:\\Program Files' } },
  },
  {
    name: 'in one text, while another of the letter has real escapes',
    text: '{"to":"coder","act":"inform","body":"a\\nb","cwd":"C:\\Work"}',
    repairs: backslashes,
    arrives: { body: 'a\nb', extra: { cwd: 'C:\\Work' } },
  },
]);

describeLetters(
  'A5. A backslash that could mean two things is quarantined at its line and column:',
  [
    {
      name: '`\\n` beside `\\U`',
      text: withRawBody('C:\\Users\\new'),
      ends: 'not-json',
      at: [1, 54],
    },
    {
      name: '`\\t` beside `\\d`',
      text: withRawBody('\\d\\t'),
      ends: 'not-json',
      at: [1, 52],
      told: /twice/,
    },
    {
      name: 'a Unicode escape beside a path',
      text: withRawBody('\\u00e9 C:\\X'),
      ends: 'not-json',
      at: [1, 61],
    },
    {
      name: 'on the third line of the file',
      text: '{"to":"coder",\n"act":"inform",\n"body":"\\alpha \\beta"}',
      ends: 'not-json',
      at: [3, 9],
    },
    {
      name: 'on a later raw line of the text itself',
      text: '{"to":"coder","act":"inform","body":"one\ntwo \\q \\n"}',
      ends: 'not-json',
      at: [2, 5],
    },
  ],
);

describeLetters('A5. `C:\\temp\\new` is valid JSON and is not changed:', [
  {
    name: 'a tab and a line break',
    text: withRawBody('C:\\temp\\new'),
    arrives: { body: 'C:\temp\new' },
  },
]);
