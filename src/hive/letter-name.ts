/** Tells whether a name in an inbox is that of a letter; temporary files and `.done` begin with a dot. */
export function isLetterName(name: string): boolean {
  return name.endsWith('.json') && !name.startsWith('.');
}
