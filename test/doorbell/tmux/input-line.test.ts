import { describe, expect, it } from 'vitest';
import { isEmptyInput, showsTyped } from '../../../src/doorbell/tmux/input-line.ts';
import { isSameScreen, parseView } from '../../../src/doorbell/tmux/pane.ts';

const row = (before: string, after: string) => ({ text: '', cursor: '0,0', before, after });

describe('an empty line of input', () => {
  it.each([
    ['> ', '', 'gemini'],
    [' > ', '   ', 'gemini'],
    [' *   ', 'Type your message or @path/to/file', 'gemini'],
    ['│ > ', '  Type your message or @path/to/file            │', 'gemini'],
    ['› ', 'Ask Codex to do anything', 'codex'],
    ['│ ❯ ', '                        │', 'codex'],
  ] as const)('is %j before and %j behind the cursor, in %s', (before, after, client) => {
    expect(isEmptyInput(row(before, after), client)).toBe(true);
  });

  it.each([
    // A draft; with the cursor moved to its beginning; one of signs alone; its second line.
    ['> half a line', '', 'gemini'],
    ['> ', 'half a line', 'gemini'],
    ['> ', '?', 'gemini'],
    ['  ', '', 'gemini'],
    ['│  ', '│', 'gemini'],
    ['> é', '', 'gemini'],
    ['> 日', '', 'gemini'],
    // A menu, a question, no line of input at all, and what another client shows.
    ['❯ ', '1. Yes, allow it', 'gemini'],
    ['Allow it? [y/N] ', '', 'gemini'],
    ['', '', 'gemini'],
    ['> ', 'Ask Codex to do anything', 'gemini'],
    ['> ', 'Type your message or @path/to/file and more', 'gemini'],
  ] as const)('is not %j before and %j behind it, in %s', (before, after, client) => {
    expect(isEmptyInput(row(before, after), client)).toBe(false);
  });
});

describe('a typed line', () => {
  const line = 'Hivemail has mail for coder; "hivemail inbox" lists it.';
  const screen = (text: string) => ({ ...row('', ''), text });
  const empty = screen(`> ${line}\n* Done\n> \n`);

  it('shows once more than before, whatever breaks and frames it', () => {
    const broken = `> ${line}\n* Done\n│ > Hivemail has mail for co │\n│ der; "hivemail inbox" lis │\n│ ts it. │`;
    expect(showsTyped(line, screen(`> ${line}\n* Done\n> ${line}\n`), empty)).toBe(true);
    expect(showsTyped(line, screen(broken.replace('lis │\n│ ts', 'lists')), empty)).toBe(true);
    expect(showsTyped(line, empty, empty)).toBe(false);
    expect(showsTyped(line, screen(`> ${line}\n* Done\n> ${line.slice(0, -12)}`), empty)).toBe(
      false,
    );
  });
});

describe('what tmux prints of a pane', () => {
  const printed = '%3 42 0 1 2 1\nfirst\n> half\n';

  it('is its process, its mode, and the row of the cursor in two parts', () => {
    expect(parseView('%3', printed)).toEqual({
      ...{ pid: 42, isDead: false, isInMode: true, text: 'first\n> half\n', cursor: '2,1' },
      ...{ before: '> ', after: 'half' },
    });
    expect(parseView('%3', '%3 42 1 0 9 7\nx\n')).toMatchObject({
      isDead: true,
      before: '',
      after: '',
    });
  });

  it('is nothing when it is of another pane, or no answer', () => {
    expect(parseView('%4', printed)).toBeUndefined();
    expect(parseView('%4', '')).toBeUndefined();
  });

  it('is the same only with the cursor in the same place', () => {
    const one = row('', '');
    expect(isSameScreen(one, { ...one })).toBe(true);
    expect(isSameScreen(one, { ...one, cursor: '1,0' })).toBe(false);
    expect(isSameScreen(one, { ...one, text: 'x' })).toBe(false);
  });
});
