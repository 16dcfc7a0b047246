/** A place in a text as editors show it: both 1-based, the column in UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

const LINE_END = /\r\n|\n|\r/g;

/** Finds the line and column of an offset; a line ends with LF, CR or CRLF. */
export function positionAt(text: string, offset: number): Position {
  let line = 1;
  let lineStart = 0;
  for (const end of text.slice(0, offset).matchAll(LINE_END)) {
    line += 1;
    lineStart = end.index + end[0].length;
  }
  return { line, column: offset - lineStart + 1 };
}
