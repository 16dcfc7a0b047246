import type { Node } from 'jsonc-parser';
import { endOf, itemsOf, readGap } from './json-document.ts';

/** How a document is laid out. */
export interface Style {
  /** Its line break. */
  eol: string;
  /** One level of its indentation. */
  unit: string;
  /** It stands on one line, and is to go on doing so. */
  isOneLine: boolean;
}

/** Reads off a document how its writer lays it out; two blanks where nothing shows. */
export function styleOf(text: string, root: Node | undefined): Style {
  const first = root === undefined ? undefined : itemsOf(root)[0];
  const unit = first === undefined ? undefined : indentOf(text, first.offset);
  return {
    eol: /\r?\n/.exec(text)?.[0] ?? '\n',
    unit: unit || '  ',
    isOneLine: root !== undefined && first !== undefined && !/\n/.test(textOf(text, root)),
  };
}

/** Renders a value; its further lines begin with `indent`. */
export function renderValue(value: unknown, indent: string, { eol, unit }: Style): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent);
}

/**
 * Tells the indentation of what stands first on its line.
 * @returns nothing where something else stands before it
 */
export function indentOf(text: string, offset: number): string | undefined {
  return /(?:^|\n)([ \t]*)$/.exec(text.slice(0, offset))?.[1];
}

/** Tells the indentation of the line that an offset is on. */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

/** Cuts out the text of a node. */
export function textOf(text: string, node: Node): string {
  return text.slice(node.offset, endOf(node));
}

/** Finds the end of the comments that begin on the line of an offset, before the next token. */
export function endOfLineComments(text: string, from: number, to: number): number {
  let end = from;
  for (const comment of readGap(text, from, to).comments) {
    if (/\n/.test(text.slice(end, comment.start))) break;
    end = comment.end;
  }
  return end;
}
