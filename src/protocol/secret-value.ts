// Tells a secret from what prose and code put in the same place. All of it works on values that the
// caller has cut to a bounded length, so none of it can cost more than that length.

/** What a secret is, as its redaction names it. */
export type SecretKind =
  | 'api-key'
  | 'token'
  | 'jwt'
  | 'bearer'
  | 'basic'
  | 'password'
  | 'secret'
  | 'pem';

/** A field that names a secret, and how its value stands there. */
export interface SecretField {
  kind: SecretKind;
  /** `=`, `:`, `==` and the like; a space for a command line's flag. */
  operator: string;
  /** White space stands around the operator. */
  spaced: boolean;
  /** Written as an environment variable: no lower-case letter. */
  env: boolean;
  /** Name and value are all there is on the line, or between commas. */
  alone: boolean;
}

const WORD = /^(?:\p{L}{0,15}\d{0,2}|\d{1,4})$/u;
const WORD_ENDS = /[-_./\\:@~#’]+/;
const HEX = /^[0-9a-f-]+$/i;
const LITERAL =
  /^(?:null|undefined|true|false|none|nil|nan|str|string|number|bool|boolean|bytes|text|any|unknown|required|optional|missing|invalid|expired|wrong|unset|empty|hidden|redacted|yes|no|await|async|new|this|self|function|typeof)$/i;
const ALGORITHM = /^(?:sha|md|aes|rsa|argon|scrypt|pbkdf|base|utf|hs|rs|es|oauth|totp|http|v)-?\d/i;
const REFERENCE =
  /^(?:\$(?:[A-Z_][A-Z0-9_]*$|[a-z_]+$|[({])|\{|<|\[|\(|\||%|&|[*x•_.-]+$|[a-z][a-z0-9]{1,12}:\/\/|\/\/)/i;
const CALL = /^[A-Za-z_$][\w$.?]*[([]/;
const DATE_OR_TIME = /^\d{4}-\d\d-\d\d|^\d{1,2}:\d\d/;
const FILE_NAME = /\.[a-z]{1,4}$/;
const MESSAGE_ID_OR_SHORT_SHA = /^(?:[0-9a-f]{7,12}|[0-9a-z]{12}-[0-9a-z]{8})$/;
const HEADER_WORD =
  /^(?:tokens?|headers?|auth\w*|schemes?|credentials?|required|optional|missing|[a-z]{1,4})$/i;

/** Tells whether a text is put together from ordinary words and short numbers, as names and paths are. */
export function isWordy(text: string): boolean {
  return text.split(WORD_ENDS).every((piece) => WORD.test(piece));
}

/** Tells whether a text mixes characters the way an issued key does, too long and too mixed for a name. */
export function isIssued(text: string): boolean {
  return text
    .split(/[-_.]/)
    .some(
      (piece) =>
        piece.length >= 20 && /\d/.test(piece) && /[a-z]/.test(piece) && /[A-Z]/.test(piece),
    );
}

function isOrdinary(value: string): boolean {
  return [LITERAL, ALGORITHM, REFERENCE, CALL, DATE_OR_TIME].some((shape) => shape.test(value));
}

/** Tells whether words and dots stand for a file, a path or a member of an object. */
function isPathOrMember(value: string, field: SecretField): boolean {
  if (!/[/\\.]/.test(value) || !isWordy(value)) return false;
  return !field.env || /[/\\]/.test(value) || FILE_NAME.test(value) || value.startsWith('process.');
}

/** Tells whether a value that could be a word is meant as a password. */
function isLoneWord(value: string, field: SecretField): boolean {
  if (field.kind !== 'password' || field.operator === ' ') return false;
  if (/\d/.test(value) && /\p{L}/u.test(value)) return value.length >= 5;
  if (field.operator === '=') return value.length >= 3;
  return field.alone && value.length >= 4;
}

/** `token: 3f2a9c1` is a list of commits or messages by what they are about. */
function isMentioned(value: string, { kind, operator }: SecretField): boolean {
  return (
    (kind === 'token' || kind === 'secret') &&
    operator === ':' &&
    MESSAGE_ID_OR_SHORT_SHA.test(value)
  );
}

/**
 * Tells whether what stands unquoted behind the name of a secret is one: `token=x81Hq…` is,
 * `token: see docs`, `password = req.body.password` and `password: string` are not.
 */
export function isBareSecret(value: string, field: SecretField): boolean {
  if (field.operator.startsWith('==')) return false;
  const said = value.replace(/[?!:]{1,8}$/, '');
  if (isOrdinary(said) || isPathOrMember(said, field)) return false;
  const isPassword = field.kind === 'password';
  if (!isPassword && /^\d{1,5}$/.test(said)) return false;
  if (field.operator === '=' && !field.spaced) return said.length >= 3;
  if (isWordy(said)) return isLoneWord(said, field);
  if (isMentioned(said, field)) return false;
  return said.length >= (isPassword ? 4 : 8) && /[\d!@#$%^&*?+~=]/.test(said);
}

/** Tells whether what stands in quotes behind the name of a secret is one. */
export function isQuotedSecret(value: string, field: SecretField): boolean {
  if (isOrdinary(value) || isPathOrMember(value, field)) return false;
  if (field.kind === 'password') return value.trim() !== '';
  return value.length >= 4 && (!/\s/.test(value) || /\d/.test(value));
}

/** Tells whether the word behind `Bearer` is a token; a lower-case `bearer` may stand before a commit's id. */
export function isBearerToken(value: string, scheme: string): boolean {
  if (value.length < 8 || isWordy(value)) return false;
  return scheme !== 'bearer' || !HEX.test(value);
}

/**
 * Tells whether what follows a scheme in an Authorization header is a credential.
 * @param last - nothing follows it but the end of the line or a quote; then one word can be a token too
 */
export function isCredential(value: string, last: boolean): boolean {
  if (value.length < 4 || /^[<$]/.test(value)) return false;
  const isWord = /^(?:[A-Za-z]?[a-z]+|[A-Z]+)$/.test(value);
  return !isWord || (last && !HEADER_WORD.test(value));
}

/** Tells whether the password part of a URL is one, and no placeholder, port or variable. */
export function isUrlPassword(value: string): boolean {
  return !/^\d{1,5}[?#]|^[*]+$|^\$\{?[A-Za-z_]\w*\}?$|^\{|^%[sd]$/.test(value);
}
