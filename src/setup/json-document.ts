import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

/** A piece of text to put in the place of another; both may be empty. */
export interface Edit {
  offset: number;
  length: number;
  text: string;
}

/** How a settings file can't be worked with: a sentence, and where. */
export class UnfitText extends Error {}

const OPTIONS = { allowTrailingComma: true, disallowComments: false };

/**
 * Parses JSON as people write it into settings: comments and trailing commas are fine.
 * @returns the object at its root; nothing for a text without content
 * @throws UnfitText for anything else
 */
export function parseDocument(text: string): Node | undefined {
  if (text.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, OPTIONS);
  const [first] = errors;
  if (first !== undefined) {
    throw new UnfitText(`is not valid JSON (${whatIs(first)} at ${placeOf(text, first.offset)})`);
  }
  if (root?.type !== 'object') throw new UnfitText('holds no JSON object');
  return root;
}

function whatIs({ error }: ParseError): string {
  return printParseErrorCode(error)
    .replace(/(?!^)[A-Z]/g, ' $&')
    .toLowerCase();
}

function placeOf(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Lists what an object or array holds: properties, or elements. */
export function itemsOf(container: Node): readonly Node[] {
  return container.children ?? [];
}

/** Finds the value of a property; of several with one name the last, as JSON.parse does. */
export function valueOf(object: Node, key: string): Node | undefined {
  return itemsOf(object).findLast(({ children }) => children?.[0]?.value === key)?.children?.[1];
}

/** Tells where a node ends. */
export function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .sort((one, other) => other.offset - one.offset)
    .reduce(
      (done, edit) =>
        done.slice(0, edit.offset) + edit.text + done.slice(edit.offset + edit.length),
      text,
    );
}

/** What stands between two tokens: white space, comments, and the one comma. */
export interface Gap {
  /** Offset of the comma; nothing where there is none. */
  comma: number | undefined;
  comments: { start: number; end: number; isLine: boolean }[];
}

/** Reads what stands between two offsets that no other token is between. */
export function readGap(text: string, from: number, to: number): Gap {
  const gap: Gap = { comma: undefined, comments: [] };
  for (let at = from; at < to; at += 1) {
    if (text[at] === ',') gap.comma = at;
    if (text[at] !== '/') continue;
    const isLine = text[at + 1] === '/';
    const found = isLine ? /[\r\n]|$/.exec(text.slice(at))?.index : text.indexOf('*/', at) + 2 - at;
    const end = at + (found ?? 0);
    gap.comments.push({ start: at, end, isLine });
    at = end - 1;
  }
  return gap;
}
