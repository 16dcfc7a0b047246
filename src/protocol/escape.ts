// C0 but tab and line feed (JSON text uses a real line feed between fields), DEL, C1, zero-width and
// bidirectional controls, the line and paragraph separators, interlinear and tag characters.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

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
  return text.replace(UNSAFE, asUnicodeEscape);
}

/** Makes a text safe to stand on one line of a terminal: unsafe characters, tabs and line feeds escaped. */
export function escapeLine(text: string): string {
  return escapeUnsafe(text).replace(/\n/g, '\\n').replace(/\t/g, '\\t');
}
