// What a terminal acts on, or what hides, joins or reorders text: control characters but tab and line
// feed (JSON text uses a real line feed between fields), every character that Unicode says may be shown
// as nothing (zero-width, bidirectional, tags, fillers), the separators of lines and paragraphs,
// interlinear marks, and halves of surrogate pairs, which no encoding can carry. The two selectors that
// emoji need are spared; a second one in a row has no meaning but to carry hidden data.
const UNSAFE =
  /(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|(?<=\ufe0e|\ufe0f)(?:\ufe0e|\ufe0f)/gu;

/** Most text has nothing unsafe in it, and this tells so at a tenth of the cost. */
const PLAIN = /^[\t\n\u0020-\u007e]*$/;

function asUnicodeEscape(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; at++) {
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

/**
 * Writes every character that a terminal could act on, or that hides or reorders text, as `\uXXXX`.
 * Inside a JSON string that is the same text; elsewhere it is a visible, inert stand-in.
 * Source: CVE-2009-4487 (escape sequences through logs), Unicode TR36 (bidirectional spoofing).
 */
export function escapeUnsafe(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSAFE, asUnicodeEscape);
}

/** Makes a text safe to stand on one line of a terminal: unsafe characters, tabs and line feeds escaped. */
export function escapeLine(text: string): string {
  return escapeUnsafe(text).replace(/\n/g, '\\n').replace(/\t/g, '\\t');
}

/**
 * Cuts a text that is too long and marks the cut with an ellipsis.
 * Counts code points, so that no surrogate pair is split; reads no more of the text than it keeps.
 * @param most - the most code points to return, the ellipsis included; at least 1
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = 0;
  let beforeLast = 0;
  let at = 0;
  for (const character of text) {
    if (kept === most) return `${text.slice(0, beforeLast)}…`;
    kept += 1;
    beforeLast = at;
    at += character.length;
  }
  return text;
}

/** Fills a text up with spaces to a width in code points; a longer one stays whole. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - [...text].length));
}
