/**
 * Putting an item into a list or object of a JSON text, and taking it out, as edits of the text.
 *
 * What must hold: taking out undoes putting in, byte for byte, in whatever order several items are taken
 * out; comments, and everything else that is not ours, stay where they are.
 */
import type { Node } from 'jsonc-parser';
import { applyEdits, type Edit, endOf, itemsOf, readGap } from './json-document.ts';
import {
  endOfLineComments,
  indentOf,
  lineIndent,
  renderValue,
  type Style,
  textOf,
} from './json-style.ts';

/** An item to put in. */
export interface Item {
  /** Name of the property; nothing in a list. */
  key?: string | undefined;
  value: unknown;
}

/** Puts an item behind the last one. */
export function insertItem(text: string, container: Node, item: Item, style: Style): string {
  const last = itemsOf(container).at(-1);
  const edits =
    last === undefined
      ? [intoEmpty(text, container, item, style)]
      : behind(text, container, { last, item, style });
  return applyEdits(text, edits);
}

/** The text between the brackets of an empty container, which {@link removeItem} is to bring back. */
export function interiorOf(text: string, container: Node): string {
  return text.slice(container.offset + 1, endOf(container) - 1);
}

function intoEmpty(text: string, container: Node, item: Item, style: Style): Edit {
  const interior = interiorOf(text, container);
  const start = container.offset + 1;
  if (style.isOneLine) {
    return { offset: start + interior.trimEnd().length, length: 0, text: inline(item) };
  }
  const outer = lineIndent(text, container.offset);
  const line = style.eol + outer + style.unit + block(item, outer + style.unit, style);
  // Comments stay; the white space after them is theirs, too.
  const kept = interior.trimEnd().length;
  if (kept > 0) return { offset: start + kept, length: 0, text: line };
  return { offset: start, length: interior.length, text: line + style.eol + outer };
}

function behind(
  text: string,
  container: Node,
  { last, item, style }: { last: Node; item: Item; style: Style },
): Edit[] {
  const close = endOf(container) - 1;
  const { comma } = readGap(text, endOf(last), close);
  const from = comma === undefined ? endOf(last) : comma + 1;
  const indent = itemsOf(container)
    .map(({ offset }) => indentOf(text, offset))
    .findLast((found) => found !== undefined);
  const blank = /[:,]\s/.test(textOf(text, container)) ? ' ' : '';
  const shown =
    indent === undefined ? blank + inline(item) : style.eol + indent + block(item, indent, style);
  // What goes on a line of its own goes behind the comment on the last one.
  const offset = indent === undefined ? from : endOfLineComments(text, from, close);
  const place = { offset, length: 0 };
  if (comma !== undefined) return [{ ...place, text: `${shown},` }];
  if (place.offset === from) return [{ ...place, text: `,${shown}` }];
  return [
    { offset: from, length: 0, text: ',' },
    { ...place, text: shown },
  ];
}

function block({ key, value }: Item, indent: string, style: Style): string {
  const shown = renderValue(value, indent, style);
  return key === undefined ? shown : `${JSON.stringify(key)}: ${shown}`;
}

function inline({ key, value }: Item): string {
  const shown = JSON.stringify(value);
  return key === undefined ? shown : `${JSON.stringify(key)}:${shown}`;
}

/**
 * Takes an item out.
 * @param interior - what to leave between the brackets when it was the only one
 */
export function removeItem(text: string, container: Node, item: Node, interior: string): string {
  const items = itemsOf(container);
  const index = items.indexOf(item);
  const [before, after] = [items[index - 1], items[index + 1]];
  const bounds = {
    open: before === undefined ? container.offset + 1 : endOf(before),
    close: after === undefined ? endOf(container) - 1 : after.offset,
  };
  if (items.length === 1 && isBlank(text, bounds, item)) {
    const length = bounds.close - bounds.open;
    return applyEdits(text, [{ offset: bounds.open, length, text: interior }]);
  }
  const { comma } = readGap(text, endOf(item), bounds.close);
  const lead = readGap(text, bounds.open, item.offset);
  const edits = [cut(text, { item, open: bounds.open, comma, lead })];
  if (comma !== undefined) edits.push({ offset: comma, length: 1, text: '' });
  else if (lead.comma !== undefined) edits.push({ offset: lead.comma, length: 1, text: '' });
  return applyEdits(text, edits);
}

/** Nothing but white space, and perhaps a comma, is around the only item. */
function isBlank(text: string, { open, close }: { open: number; close: number }, item: Node) {
  return (
    /^\s*$/.test(text.slice(open, item.offset)) && /^[\s,]*$/.test(text.slice(endOf(item), close))
  );
}

/** Cuts an item with the white space before it, but never what ends a comment before it. */
function cut(
  text: string,
  around: { item: Node; open: number; comma: number | undefined; lead: ReturnType<typeof readGap> },
): Edit {
  const { item, open, comma, lead } = around;
  const blank = /\s*$/.exec(text.slice(open, item.offset))?.[0] ?? '';
  const rest = text.slice((comma ?? endOf(item) - 1) + 1);
  const start = item.offset - blank.length;
  const followsComment = lead.comments.some(({ isLine, end }) => isLine && end === start);
  const endsComment = followsComment && !/^[ \t]*\r?\n/.test(rest);
  const offset = endsComment ? item.offset : start;
  return { offset, length: endOf(item) - offset, text: '' };
}
