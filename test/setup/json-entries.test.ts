import fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import {
  addEntries,
  type Before,
  type Entry,
  listOwned,
  type Owns,
  removeOwned,
} from '../../src/setup/json-entries.ts';
import { anySettings } from './any-settings.ts';

/** More of them find what few do not: HIVEMAIL_TEST_RUNS=5000. */
const RUNS = Number(process.env.HIVEMAIL_TEST_RUNS ?? 200);

const EVENTS = ['SessionStart', 'PostToolUse', 'Stop'];

function hooksOf(agent: string): Entry[] {
  return EVENTS.map((event) => ({
    list: ['hooks', event],
    value: { hooks: [{ type: 'command', command: `bell ${agent}`, timeout: 5 }] },
  }));
}

const isOf =
  (agent: string): Owns =>
  (value) =>
    isOurs(value, []) && (value as { command: string }).command === `bell ${agent}`;

const isOurs: Owns = (value) =>
  typeof value === 'object' &&
  value !== null &&
  'command' in value &&
  String(value.command).startsWith('bell ');

const add = (text: string | undefined, agent: string, known: Before = {}) =>
  addEntries(text, { entries: hooksOf(agent), known, isOurs });

/** Settings files as people leave them. */
const SHAPES: Record<string, string> = {
  'an empty object': '{}',
  'an empty object over lines': '{\n}\n',
  'an empty file': '',
  'white space': ' \n\t',
  'two blanks': '{\n  "model": "x"\n}\n',
  tabs: '{\n\t"model": "x",\n\t"hooks": {\n\t\t"Stop": []\n\t}\n}',
  'carriage returns': '{\r\n  "hooks": {\r\n    "Stop": [\r\n      {}\r\n    ]\r\n  }\r\n}\r\n',
  'one line': '{"a":1,"hooks":{"Stop":[{"hooks":[]}]}}',
  'one line with blanks': '{ "a": 1, "hooks": { "Stop": [ ] } }\n',
  'hooks of others': `{
    "hooks": {
        "Stop": [
            { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] } // mine
        ],
        "PostToolUse": [ /* none yet */ ]
    }, // end of hooks
    "env": {},
}
`,
  'comments in empty places': '// top\n{\n  // nothing\n  "hooks": { // none\n  }\n}\n// end',
  'trailing commas': '{\n  "hooks": {\n    "Stop": [1,2,],\n  },\n}',
  'commas first': '{\n    "a": 1\n  , "b": 2\n}\n',
  'brackets on the line of the last': '{ "a":\n  1 }',
  'a comma after a comment': '{\n  "a": 1 // one\n  ,\n  "b": 2 /* two */ ,\n}',
  'a key twice': '{ "hooks": {"Stop": [1]}, "hooks": {"Stop": [2]} }',
};

describe('addEntries', () => {
  it.each(Object.entries(SHAPES))('adds to %s what removeOwned takes away exactly', (_, text) => {
    const { text: added, before } = add(text, 'a');
    expect(listOwned(added, isOurs)).toHaveLength(EVENTS.length);
    expect(removeOwned(added, isOf('a'), before)).toBe(text);
  });

  it('lays its entries out as the file is', () => {
    expect(add('{\r\n\t"a": [1]\r\n}\r\n', 'a').text.split('"Stop": [')[1]).toBe(
      '\r\n\t\t\t{\r\n\t\t\t\t"hooks": [\r\n\t\t\t\t\t{\r\n\t\t\t\t\t\t"type": "command",\r\n\t\t\t\t\t\t"command": "bell a",\r\n\t\t\t\t\t\t"timeout": 5\r\n\t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n',
    );
    expect(add('{"a":1}', 'a').text).not.toContain('\n');
  });

  it('leaves a comment with what it is about', () => {
    const { text } = add('{\n  "hooks": {\n    "Stop": [\n      1 // one\n    ]\n  }\n}', 'a');
    expect(text).toContain('      1, // one\n      {\n');
  });

  it('makes a file where there is none, and removeOwned unmakes it', () => {
    const { text, before } = add(undefined, 'a');
    expect(text).toMatch(/^\{\n {2}"hooks": \{\n[^]*\n\}\n$/);
    expect(removeOwned(text, isOf('a'), before)).toBeUndefined();
  });

  it.each([
    ['{ "hooks": [] }', 'holds something other than an object under "hooks"'],
    ['{ "hooks": { "Stop": "x" } }', 'holds something other than an array under "hooks.Stop"'],
    ['{ "hooks": null }', 'holds something other than an object under "hooks"'],
    ['[]', 'holds no JSON object'],
    ['// nothing', 'is not valid JSON (value expected at line 1, column 11)'],
    ['{\n  "a": 1\n  "b": 2\n}', 'is not valid JSON (comma expected at line 3, column 3)'],
    ['{ "a": 1', 'is not valid JSON (close brace expected at line 1, column 9)'],
    ['{} {}', 'is not valid JSON (end of file expected at line 1, column 4)'],
  ])('refuses %j', (text, why) => {
    expect(() => add(text, 'a')).toThrow(why);
  });

  it('refuses a property that is there already', () => {
    const entry = { property: ['servers', 'x'], value: 1 };
    const adding = { entries: [entry], known: {}, isOurs };
    expect(() => addEntries('{"servers":{"x":2}}', adding)).toThrow('already has "servers.x"');
  });
});

describe('removeOwned', () => {
  it('brings back any text, whoever comes and goes in whatever order', {
    timeout: 60_000 + RUNS * 50,
  }, () => {
    const agents = fc.shuffledSubarray(['a', 'b', 'c'], { minLength: 1 });
    fc.assert(
      fc.property(anySettings, agents, fc.infiniteStream(fc.nat()), (text, coming, order) => {
        fc.pre(canTake(text));
        const records = new Map<string, Before>();
        let now: string | undefined = text;
        for (const agent of coming) {
          const added = add(now, agent, Object.assign({}, ...records.values()) as Before);
          expect(withoutOurs(added.text)).toEqual(withoutOurs(text));
          records.set(agent, added.before);
          now = added.text;
        }
        while (records.size > 0) {
          const agent = [...records.keys()][Number(order.next().value) % records.size] ?? '';
          now = removeOwned(now ?? '', isOf(agent), records.get(agent));
          records.delete(agent);
          expect(listOwned(now ?? '', isOurs)).toHaveLength(records.size * EVENTS.length);
        }
        expect(now).toBe(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves what was added meanwhile, and takes only ours', () => {
    const { text, before } = add('{\n  "a": 1\n}\n', 'a');
    const edited = text
      .replace('"a": 1,', '"a": 2, // two')
      .replace('"Stop": [', '"Stop": [\n      { "hooks": [] },');
    const left = removeOwned(edited, isOf('a'), before) ?? '';
    expect(left).toBe(
      '{\n  "a": 2, // two\n  "hooks": {\n    "Stop": [\n      { "hooks": [] }\n    ]\n  }\n}\n',
    );
  });

  it('keeps a hook that somebody put beside ours', () => {
    const { text, before } = add('{}', 'a');
    const edited = text.replace('"timeout": 5\n          }', '"timeout": 5\n          }, 7');
    const left = parse(removeOwned(edited, isOf('a'), before) ?? '') as unknown;
    expect(left).toEqual({ hooks: { SessionStart: [{ hooks: [7] }] } });
  });

  it('keeps a file that was made for ours once somebody else wrote in it', () => {
    const { text, before } = add(undefined, 'a');
    const edited = text.replace('{', '{ "theme": "dark",');
    expect(parse(removeOwned(edited, isOf('a'), before) ?? '')).toEqual({ theme: 'dark' });
    expect(removeOwned(`// mine\n${text}`, isOf('a'), before)).toBe('// mine\n{}\n');
  });

  it('takes ours out of a file that a program has written anew', () => {
    const { text, before } = add('{\n  "hooks": {\n    "Stop": []\n  }\n}\n', 'a');
    const rewritten = JSON.stringify(JSON.parse(text));
    expect(removeOwned(rewritten, isOf('a'), before)).toBe('{"hooks":{"Stop":[]}}');
  });

  it('takes ours out without a record, with what is empty then', () => {
    const { text } = add('{\n  "a": 1\n}\n', 'a');
    expect(removeOwned(text, isOf('a'))).toBe('{\n  "a": 1\n}\n');
  });

  it('never lets a comment swallow what follows', () => {
    const text = '{ "hooks": { "Stop": [ 1, // one\n { "command": "bell a" }, 2 ] } }';
    expect(parse(removeOwned(text, isOf('a'), {}) ?? '')).toEqual({ hooks: { Stop: [1, 2] } });
    const last = '{ "hooks": { "Stop": [ 1, // one\n { "command": "bell a" }] } }';
    expect(parse(removeOwned(last, isOf('a'), {}) ?? '')).toEqual({ hooks: { Stop: [1] } });
  });

  it('changes nothing where nothing is ours', () => {
    expect(removeOwned('{ "hooks" : { } }', isOf('a'), { '': 'missing' })).toBe(
      '{ "hooks" : { } }',
    );
  });
});

/** Not every value that stands under a name is one that takes an entry. */
function canTake(text: string): boolean {
  try {
    add(text, 'a');
    return true;
  } catch {
    return false;
  }
}

/** What a text says, but for ours and the empty places around them. */
function withoutOurs(text: string): unknown {
  const bare = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.filter((one) => !holdsOurs(one)).map(bare);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([key, inner]) => [key, bare(inner)] as const);
    return Object.fromEntries(entries.filter(([key, inner]) => !isEmptyPlace(key, inner)));
  };
  return bare(parse(text.trim() === '' ? '{}' : text, [], { allowTrailingComma: true }));
}

function holdsOurs(value: unknown): boolean {
  return JSON.stringify(value).includes('"bell ');
}

function isEmptyPlace(key: string, value: unknown): boolean {
  return (key === 'hooks' || EVENTS.includes(key)) && /^(\{\}|\[\])$/.test(JSON.stringify(value));
}
