/** Quotes a text for a POSIX shell, so that it stands for itself and nothing else; only where it must. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuote(text);
}

/** Renders a shell's line that exports a variable; the value is always quoted. */
export function exportLine(name: string, value: string): string {
  return `export ${name}=${singleQuote(value)}`;
}

function singleQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
