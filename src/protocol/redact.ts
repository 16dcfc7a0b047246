/**
 * Finds secrets by their shape and takes them out of a text.
 *
 * One scan from left to right. A sign (`sk-`, `password`, `://`, `-----BEGIN `) wakes a finder, which
 * looks at the text from there. What must hold: a finder that says no has looked at a bounded number of
 * characters, or only up to the next sign of its own kind, and the scan goes on one character later, so
 * cost is linear and a secret inside a rejected text is still found; a finder that says yes takes the
 * whole run of characters, so nothing of the secret stays and redacting twice changes nothing.
 *
 * A shape is all there is to go by. This guards against accidents, not against a sender who hides a
 * secret, and it is for what is shown and logged: a delivered letter is never changed.
 */
import {
  isBareSecret,
  isBearerToken,
  isCredential,
  isIssued,
  isQuotedSecret,
  isUrlPassword,
  isWordy,
  type SecretField,
  type SecretKind,
} from './secret-value.ts';

interface Secret {
  kind: SecretKind;
  start: number;
  end: number;
}

/** A sign, as a pattern's source without capturing groups, and who looks at the text it stands in. */
type Finder = [sign: string, find: (text: string, at: number) => Secret | undefined];

const MARK = '[redacted:';
const MARK_SIGN = '\\[redacted:[a-z-]{1,24}\\]';
const NO_MARK = '(?!\\[redacted:)';
/** A value is judged by its first characters. */
const JUDGED = 64;
/** A quote that is not closed within so many characters is taken to be cut off. */
const QUOTED_MOST = 512;

/** Issued keys: kind, prefix, what follows as far as it is judged, and what the
 * prefix can end: ordinary words (`task-`), or names in code so like a key that inside a word it is none. */
const SHAPES: readonly [
  kind: SecretKind,
  prefix: string,
  rest: string,
  ends?: 'words' | 'names',
][] = [
  ['api-key', 'sk-(?:ant|proj|svcacct|admin|or|live|test)-', '[\\w-]{12,128}'],
  ['api-key', 'sk-', '[\\w-]{8,128}', 'words'],
  ['api-key', 'A[KS]IA', '[A-Z0-9]{16}(?:[:,|][A-Za-z0-9/+]{40})?'],
  ['api-key', 'AIza', '[\\w-]{30,128}'],
  ['api-key', '[sr]k_(?:live|test)_', '[A-Za-z0-9]{10,128}'],
  ['api-key', 'SG\\.', '[\\w-]{16,64}(?:\\.[\\w-]{1,64})?', 'words'],
  ['api-key', 'AGE-SECRET-KEY-1', '[A-Z0-9]{20,128}'],
  ['api-key', '(?:gsk_|xai-|pplx-|r8_)', '[A-Za-z0-9]{20,128}', 'words'],
  ['api-key', '(?:lin_api_|dop_v1_|whsec_|NRAK-|PMAK-|tskey-|figd_|sntry[us]_)', '[\\w-]{20,128}'],
  ['token', 'gh[pousr]_', '[A-Za-z0-9]{20,128}'],
  ['token', 'github_pat_', '\\w{20,128}'],
  ['token', 'gl(?:pat|dt|rt|ptt|soat)-', '[\\w-]{16,128}'],
  ['token', '(?:xox[a-z]|xapp)-', '[A-Za-z0-9-]{10,128}'],
  ['token', '(?:npm|hf)_', '[A-Za-z0-9]{20,128}'],
  ['token', '(?:pypi-AgE|dckr_pat_|shp(?:at|ca|pa|ss)_|GOCSPX-|ya29\\.|hvs\\.)', '[\\w-]{20,128}'],
  ['jwt', 'eyJ(?:hbGci|0eXAi|raWQi)', '[\\w-]{4,128}'],
  ['jwt', 'eyJ', '[\\w-]{10,128}', 'names'],
];
const SHAPE_PATTERNS = SHAPES.map(([kind, prefix, rest, ends]) => ({
  kind,
  ends,
  pattern: new RegExp(`(?:${prefix})(${rest})`, 'y'),
}));
const SHAPE_REST = /[\w-]*(?:\.[\w-]+)*/y;
const SHAPE_SIGN = `(?:${[...new Set(SHAPES.map(([, prefix]) => prefix))].join('|')})`;

const FIELDS: readonly [kind: SecretKind, names: string][] = [
  ['password', 'pass(?:word|wd|phrase|code)|pwd|_pass'],
  ['api-key', '(?:api|access|private|account|signing|encryption|master)[ _-]?key'],
  ['secret', 'secret(?:[_-]?(?:access[_-]?)?key)?|credentials?'],
  ['token', 'token|_auth'],
];
const FIELD_NAME = new RegExp(FIELDS.map(([, names]) => `(${names})`).join('|'), 'iy');
const QUOTE = '\\\\{0,3}["\'`]';
const FIELD_OPERATOR = new RegExp(
  `(?:[_-]?(?:\\d{1,3}|base|value|hash|prod|dev|test|live))?(?:${QUOTE}|\\*{1,2})?\\]?` +
    '([ \\t]{0,8})(:=|=>|={1,3}(?!>)|:(?!:))(?:\\*{1,2}(?=[ \\t]))?([ \\t]{0,8})|[ \\t]{1,8}(?![ \\t:=])',
  'y',
);
const FLAG = /(?:^|[\s"'`])--[\w-]{0,40}$/;
const ALONE_BEFORE = /(?:^|[\n,;{(])[ \t>|"'`-]{0,16}[\w-]{0,40}$/;
const ALONE_AFTER = /[ \t]{0,8}(?:[\r\n]|$)/y;
const QUOTE_OPEN = new RegExp(QUOTE, 'y');
const BARE = `(?:${NO_MARK}(?![;&,][\\w -]{1,40}=)[^\\s"'\`])`;
const BARE_HEAD = new RegExp(`${BARE}{1,${JUDGED}}`, 'y');
const BARE_ALL = new RegExp(`${BARE}+`, 'y');

const BEARER = /(bearer)[ \t:=]{1,4}/iy;
const AUTHORIZATION = new RegExp(
  `authorization(?:${QUOTE})?\\]?[ \\t]{0,4}[:=][ \\t]{0,4}(?:${QUOTE})?` +
    '(?:(basic|bearer|token|bot|key|api-?key|negotiate)[ \\t]{1,4})?',
  'iy',
);
const TOKEN_HEAD = new RegExp(`[\\w.~+/=-]{1,${JUDGED}}`, 'y');
const TOKEN_LAST = /[\\"'`\r\n]|$/y;
const TOKEN_ALL = /[\w.~+/=-]+/y;

const URL_LOGIN = new RegExp(`://([^\\s/:@[\\]"'\`<>]*):((?:${NO_MARK}[^\\s/"'\`<>])+)@`, 'y');

const PEM_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const PEM_EDGE = /-----(?:BEGIN|END) |\[redacted:/g;
const PEM_END = /-----END [A-Z0-9 ]*(?:-{1,5})?/y;
const PEM_GAP = '(?:\\s|\\\\[nrt]|[>|"\',+#\\\\])';
const PEM_CUT_OFF = new RegExp(
  `(?:${PEM_GAP}*[A-Z][A-Za-z-]{2,20}: [^\\r\\n\\\\[]*)*(?:${PEM_GAP}*[A-Za-z0-9+/=]{24,})*` +
    `(?:${PEM_GAP}*[A-Za-z0-9+/=]+(?=[\\s"'\\\\]*(?:[\\r\\n]|\\\\n|["']|$)))?`,
  'y',
);

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Where a run ends, without the punctuation of the sentence it stands in. */
function withoutPunctuation(text: string, start: number, end: number): number {
  let to = end;
  while (to > start && '.,;)]}>'.includes(text.charAt(to - 1))) to -= 1;
  return to;
}

function findShape(text: string, at: number): Secret | undefined {
  for (const { kind, ends, pattern } of SHAPE_PATTERNS) {
    const found = matchAt(pattern, text, at);
    if (found === undefined) continue;
    const inWord = ends !== undefined && isInWord(text, at);
    const rest = found[1] ?? '';
    if (inWord ? ends === 'names' || !isIssued(rest) : isWordy(rest)) return undefined;
    const judged = at + found[0].length;
    return { kind, start: at, end: judged + (matchAt(SHAPE_REST, text, judged)?.[0].length ?? 0) };
  }
  return undefined;
}

/** Tells whether a letter or digit stands before `at`, other than that of an escaped line end or tab. */
function isInWord(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at);
  return /[A-Za-z0-9]$/.test(before) && !/\\[nrt]$/.test(before);
}

/**
 * Tells whether what ends at `end` is the rest of a value that had a secret taken out of it: it was
 * judged as a whole then, and must not be judged otherwise now.
 */
function isRest(text: string, end: number): boolean {
  return text.startsWith(MARK, end);
}

function findToken(text: string, at: number, isSecret: (head: string, last: boolean) => boolean) {
  const head = matchAt(TOKEN_HEAD, text, at)?.[0] ?? '';
  const headEnd = withoutPunctuation(text, at, at + head.length);
  if (isRest(text, at + head.length)) return undefined;
  const last = matchAt(TOKEN_LAST, text, headEnd) !== undefined;
  if (!isSecret(text.slice(at, headEnd), last)) return undefined;
  const all = matchAt(TOKEN_ALL, text, at)?.[0] ?? '';
  return { start: at, end: withoutPunctuation(text, at, at + all.length) };
}

function findBearer(text: string, at: number): Secret | undefined {
  const sign = matchAt(BEARER, text, at);
  if (sign === undefined) return undefined;
  const found = findToken(text, at + sign[0].length, (head) => isBearerToken(head, sign[1] ?? ''));
  return found && { kind: 'bearer', ...found };
}

function findAuthorization(text: string, at: number): Secret | undefined {
  const sign = matchAt(AUTHORIZATION, text, at);
  if (sign === undefined) return undefined;
  const scheme = sign[1]?.toLowerCase();
  const isSecret = (head: string, last: boolean): boolean =>
    scheme === undefined ? head.length >= 12 && !isWordy(head) : isCredential(head, last);
  const found = findToken(text, at + sign[0].length, isSecret);
  const kind = scheme === 'basic' || scheme === 'bearer' ? scheme : 'token';
  return found && { kind, ...found };
}

function findUrlLogin(text: string, at: number): Secret | undefined {
  const [all, user = '', password = ''] = matchAt(URL_LOGIN, text, at) ?? [];
  if (all === undefined || !isUrlPassword(password)) return undefined;
  const end = at + all.length - 1;
  // A token can stand in the user's place too (`https://ghp_…:x-oauth-basic@github.com`).
  const start = isWordy(user) ? end - password.length : at + '://'.length;
  return { kind: 'password', start, end };
}

function findPem(text: string, at: number): Secret | undefined {
  const begin = matchAt(PEM_BEGIN, text, at);
  if (begin === undefined) return undefined;
  const bodyStart = at + begin[0].length;
  const edge = matchAt(PEM_EDGE, text, bodyStart);
  const end = edge?.[0] === '-----END ' ? matchAt(PEM_END, text, edge.index) : undefined;
  if (end !== undefined) return { kind: 'pem', start: at, end: end.index + end[0].length };
  const body = matchAt(PEM_CUT_OFF, text, bodyStart)?.[0] ?? '';
  return body === '' ? undefined : { kind: 'pem', start: at, end: bodyStart + body.length };
}

/** The value in quotes at `at`, without them; without a closing quote, the first word. */
function findQuoted(
  text: string,
  at: number,
  open: string,
  field: SecretField,
): Secret | undefined {
  const line = /^[^\r\n]*/.exec(text.slice(at, at + QUOTED_MOST))?.[0] ?? '';
  const close = open.length > 1 ? line.indexOf(open) : indexOfClosing(line, open);
  const value = close < 0 ? line : line.slice(0, close);
  if (value.includes(MARK)) return undefined;
  if (close < 0) return findBare(text, at, field);
  return isQuotedSecret(value, field)
    ? { kind: field.kind, start: at, end: at + close }
    : undefined;
}

function indexOfClosing(line: string, quote: string): number {
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === quote) return at;
  }
  return -1;
}

function findBare(text: string, at: number, field: SecretField): Secret | undefined {
  const head = matchAt(BARE_HEAD, text, at)?.[0] ?? '';
  if (isRest(text, at + head.length)) return undefined;
  const end = withoutPunctuation(text, at, at + head.length);
  const alone = field.alone && matchAt(ALONE_AFTER, text, end) !== undefined;
  if (end === at || !isBareSecret(text.slice(at, end), { ...field, alone })) return undefined;
  const all = matchAt(BARE_ALL, text, at)?.[0] ?? '';
  return { kind: field.kind, start: at, end: withoutPunctuation(text, at, at + all.length) };
}

function findField(text: string, at: number): Secret | undefined {
  const name = matchAt(FIELD_NAME, text, at);
  if (name === undefined) return undefined;
  const operator = matchAt(FIELD_OPERATOR, text, at + name[0].length);
  if (operator === undefined) return undefined;
  const sign = operator[2] ?? ' ';
  const before = text.slice(Math.max(0, at - 64), at);
  if (sign === ' ' && !FLAG.test(before)) return undefined;
  const kind = FIELDS[name.slice(1).findIndex((group) => group !== undefined)]?.[0] ?? 'secret';
  const spaced = sign === ' ' || `${operator[1]}${operator[3]}` !== '';
  const alone = ALONE_BEFORE.test(before);
  const field = { kind, operator: sign, spaced, env: !/[a-z]/.test(name[0]), alone };
  const valueAt = at + name[0].length + operator[0].length;
  const open = matchAt(QUOTE_OPEN, text, valueAt)?.[0];
  if (open === undefined) return findBare(text, valueAt, field);
  return findQuoted(text, valueAt + open.length, open, field);
}

const FINDERS: readonly Finder[] = [
  ['-----BEGIN ', findPem],
  ['://', findUrlLogin],
  ['authorization', findAuthorization],
  ['bearer[ \\t:=]', findBearer],
  [SHAPE_SIGN, findShape],
  [FIELDS.map(([, names]) => names).join('|'), findField],
];
const SIGNS = new RegExp(
  [MARK_SIGN, ...FINDERS.map(([sign]) => sign)].map((s) => `(${s})`).join('|'),
  'gi',
);

/**
 * Replaces what looks like a secret by `[redacted:<kind>]`, for text that is logged or shown: provider
 * keys, JSON web tokens, bearer tokens and Authorization headers, private keys in PEM (also cut off),
 * passwords in URLs, and values of fields that are called password, token, secret or key. Names stay, so
 * that a reader sees what was there. Prose, commit ids, paths, UUIDs and message ids come back unchanged.
 * Linear in the length of the text; redacting twice is the same as once.
 */
export function redactSecrets(text: string): string {
  let shown = '';
  let copied = 0;
  SIGNS.lastIndex = 0;
  for (let sign = SIGNS.exec(text); sign !== null; sign = SIGNS.exec(text)) {
    if (sign[1] !== undefined) continue;
    const finder = FINDERS[sign.slice(2).findIndex((group) => group !== undefined)];
    const secret = finder?.[1](text, sign.index);
    SIGNS.lastIndex = secret?.end ?? sign.index + 1;
    if (secret === undefined) continue;
    shown += `${text.slice(copied, secret.start)}${MARK}${secret.kind}]`;
    copied = secret.end;
  }
  return copied === 0 ? text : shown + text.slice(copied);
}
