import { escapeLine } from '../index.ts';

/**
 * Renders rows in columns. Every cell is made safe for a terminal.
 * @param rows - the first one holds the headings
 * @returns a line for each row
 */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(escapeLine));
  const widths = (cells[0] ?? []).map((_, column) =>
    Math.max(...cells.map((row) => lengthOf(row[column] ?? ''))),
  );
  return cells.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - lengthOf(cell)))
      .join('  ')
      .trimEnd(),
  );
}

function lengthOf(text: string): number {
  return [...text].length;
}
