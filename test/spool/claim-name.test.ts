import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawPath } from '../../src/hive/raw-name.ts';
import { DESK } from '../../src/protocol/addresses.ts';
import type { MessageId } from '../../src/protocol/ids.ts';
import { formatClaimName, parseClaimName } from '../../src/spool/claim-name.ts';
import { agentId } from './spool-scene.ts';

const id = '1m8pqferk000-abcd1234' as MessageId;
const planner = agentId('planner');
const longest = agentId('a'.repeat(64));
const bytes = (name: string) => Buffer.byteLength(rawPath(name));
const fileOf = (file: string, sender = planner) =>
  parseClaimName(formatClaimName({ id, sender, file }))?.file ?? 'unreadable';

describe('the name of a claim', () => {
  it('carries id, sender and file', () => {
    const name = formatClaimName({ id, sender: planner, file: 'a letter.json' });
    expect(name).toBe(`${id}~planner~a letter.json`);
    expect(parseClaimName(name)).toEqual({ id, sender: planner, file: 'a letter.json' });
  });
  it('reads a file name back that holds the separator', () => {
    expect(fileOf('a~b~.json')).toBe('a~b~.json');
  });
  it('knows the desk of the person as a sender', () => {
    const name = formatClaimName({ id, sender: DESK, file: 'x.json' });
    expect(parseClaimName(name)?.sender).toBe(DESK);
  });
  it('is not read from names that no router gives', () => {
    for (const name of ['', 'x', id, `${id}~planner`, `x~planner~f`, `${id}~../x~f`, `${id}~A~f`]) {
      expect(parseClaimName(name), name).toBeUndefined();
    }
  });
  it.each([
    ['ASCII', `${'x'.repeat(250)}.json`],
    ['two bytes each', `${'é'.repeat(125)}.json`],
    ['four bytes each', `${'🦊'.repeat(62)}.json`],
    ['no text', `${'\udce9'.repeat(250)}.json`],
    ['no ending', 'x'.repeat(255)],
    ['a long ending', `a.${'x'.repeat(253)}`],
  ])('leaves room for every later name: %s', (_, file) => {
    for (const sender of [planner, longest, DESK]) {
      const name = formatClaimName({ id, sender, file });
      expect(bytes(name)).toBeLessThanOrEqual(255);
      const kept = fileOf(file, sender);
      expect(bytes(`bounced-${id}.${kept}`)).toBeLessThanOrEqual(255);
      expect(bytes(name)).toBeGreaterThan(230);
    }
  });
  it('keeps the ending of a name that is cut', () => {
    expect(fileOf(`${'x'.repeat(250)}.json`, longest)).toMatch(/^x+\.json$/);
    expect(fileOf(`${'x'.repeat(250)}.JSON`, longest)).toMatch(/^x+\.JSON$/);
  });
  it('replaces what is no text, what separates paths and what controls a terminal', () => {
    expect(fileOf('a\udce9b.json')).toBe('a_b.json');
    expect(fileOf('a\u001b[31m\n\u009b.json')).toBe('a_[31m__.json');
    expect(fileOf('a\\b/c.json')).toBe('a_b_c.json');
    expect(fileOf('🦊.json')).toBe('🦊.json');
  });
  it('is whole text of at most 255 bytes for any file name', () => {
    const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(anyName, (file) => {
        const name = formatClaimName({ id, sender: longest, file });
        const read = parseClaimName(name);
        expect(read?.id).toBe(id);
        expect(name).not.toMatch(/\p{Surrogate}/u);
        expect(name).not.toMatch(/[/\\\u0000]/);
        expect(bytes(name)).toBeLessThanOrEqual(255);
        expect(formatClaimName({ id, sender: longest, file: read?.file ?? '' })).toBe(name);
      }),
    );
  });
});
