/** What an error code means to every surface. */
export interface ErrorMeaning {
  /** What happened and what to do, for docs and for a caller without more context. */
  sentence: string;
  /** Exit code of the command line. */
  exitCode: number;
  /** Status of an HTTP answer. */
  httpStatus: number;
  /** Whether trying the same again later can succeed. */
  retryable: boolean;
}

/** Every code a {@link HivemailError} can carry. docs/errors.md shows the same table. */
export const ERRORS = {
  'hive-not-found': {
    sentence: 'There is no hive there. Name one with --hive, or make one with `hivemail init`.',
    exitCode: 3,
    httpStatus: 404,
    retryable: false,
  },
  'not-found': {
    sentence: 'No such message, agent or file. List what there is, then name one of those.',
    exitCode: 3,
    httpStatus: 404,
    retryable: false,
  },
  usage: {
    sentence: 'The call is not of the form the command takes. See its --help.',
    exitCode: 2,
    httpStatus: 400,
    retryable: false,
  },
  refused: {
    sentence:
      'The rules of the hive do not allow it. The message says which rule, and what does work.',
    exitCode: 4,
    httpStatus: 409,
    retryable: false,
  },
  locked: {
    sentence: 'Another router runs on this hive. Use it, or stop it first.',
    exitCode: 5,
    httpStatus: 423,
    retryable: true,
  },
  fenced: {
    sentence: 'A newer router has taken this hive over. This one has stopped; nothing is lost.',
    exitCode: 5,
    httpStatus: 423,
    retryable: false,
  },
  unhealthy: {
    sentence: 'A promise of the hive is at risk. `hivemail status` says which.',
    exitCode: 6,
    httpStatus: 503,
    retryable: true,
  },
  timeout: {
    sentence: 'It did not happen in the time given. Wait longer, or see `hivemail status`.',
    exitCode: 7,
    httpStatus: 504,
    retryable: true,
  },
  'bad-settings': {
    sentence: 'hive.json does not hold valid settings. Correct the field that the message names.',
    exitCode: 1,
    httpStatus: 500,
    retryable: false,
  },
  'bad-registry': {
    sentence: 'registry.json can not be read. Restore it from the history, or correct it.',
    exitCode: 1,
    httpStatus: 500,
    retryable: false,
  },
  io: {
    sentence: 'The file system refused an operation. The message names it; nothing is lost.',
    exitCode: 1,
    httpStatus: 500,
    retryable: true,
  },
  git: {
    sentence: 'git could not record the history. Mail still flows; the history catches up.',
    exitCode: 1,
    httpStatus: 500,
    retryable: true,
  },
  internal: {
    sentence: 'This should not happen. Please report it with the message.',
    exitCode: 1,
    httpStatus: 500,
    retryable: false,
  },
} as const satisfies Record<string, ErrorMeaning>;

/** One of the keys of {@link ERRORS}. */
export type ErrorCode = keyof typeof ERRORS;

/** A broken machine or a wrong call; a bad letter is a value and never one of these. */
export class HivemailError extends Error {
  override readonly name = 'HivemailError';
  readonly code: ErrorCode;

  /**
   * @param code - what kind of failure, see {@link ERRORS}
   * @param message - what happened and what to do, in sentences
   * @param options - `cause`: the error underneath
   */
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Reads the system's error code (`ENOENT`, `ENOSPC`) off a thrown value, where it has one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
