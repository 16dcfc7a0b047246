/** Splits a list with commas; spaces around the parts and empty parts don't count. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
