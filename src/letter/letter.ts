import type { Act } from '../protocol/acts.ts';
import type { LetterProblemCode } from '../protocol/outcomes.ts';

/**
 * What the router mended in a letter; named in its log row. The first block concerns the file's bytes
 * and JSON text, the second its fields. Where there is one, the original bytes are kept in the history.
 */
export type Repair =
  | 'bom'
  | 'utf-16'
  | 'nul-padding'
  | 'control-characters'
  | 'backslash-newline'
  | 'path-backslashes'
  | 'code-fence'
  | 'trailing-comma'
  | 'comments'
  | 'odd-white-space'
  | 'duplicate-fields'
  | 'hard-link'
  | 'proto-key'
  | 'lone-surrogates'
  | 'numbers-as-text'
  | 'field-alias'
  | 'act-case'
  | 'body-as-json'
  | 'subject-as-text'
  | 'subject-one-line';

/** A letter as its sender meant it: what the sender owns, nothing that the router decides. */
export interface Letter {
  /** The addresses as written, trimmed, in order, not yet resolved; empty when there was no `to`. */
  to: string[];
  act: Act;
  subject: string;
  body: string;
  conversation?: string | undefined;
  inReplyTo?: string | undefined;
  replyBy?: string | undefined;
  /** Fields the protocol does not know, verbatim. */
  extra?: Record<string, unknown> | undefined;
}

/** What is wrong with a letter, as a sentence its author can act on. */
export interface LetterIssue {
  code: LetterProblemCode;
  /** The field, as in `to` or `to[3]`; empty for the file as a whole. */
  path: string;
  /** What is wrong, in one sentence. */
  message: string;
  /** What to do now, in one sentence. */
  hint: string;
  /** 1-based line of the file, where there is one. */
  line?: number;
  /** 1-based column in UTF-16 code units, where there is one. */
  column?: number;
}

/** A letter, or everything that is wrong with it (at least one issue; the first one's code counts). */
export type ParsedLetter =
  | { ok: true; letter: Letter; repairs: Repair[] }
  | { ok: false; issues: [LetterIssue, ...LetterIssue[]]; repairs: Repair[] };

/** Bounds of a letter, from hive.json. */
export interface LetterLimits {
  /** Largest file in bytes. */
  letterBytes: number;
  /** Deepest nesting of objects and arrays. */
  depth: number;
  /** Most recipients named in one letter. */
  recipients: number;
}

/**
 * How far a file in an outbox has come, by its bytes alone.
 * `complete`: parses strictly as an object, so nothing can be missing (no proper prefix of an object
 * parses). `closed`: wrong, but its text has ended, as in a closed object with a fault inside, or a
 * JSON value that is no object. `open`: the writer may still be at it. `empty`: nothing but white space.
 */
export type Completeness = 'complete' | 'closed' | 'open' | 'empty';
