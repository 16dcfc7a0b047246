/**
 * How grave a finding is. `ok`: as it should be. `note`: worth knowing, nothing to do. `warning`: a
 * person should look at it, and mail flows. `error`: mail does not flow, or a promise is at risk.
 */
export type Level = 'ok' | 'note' | 'warning' | 'error';

/** What `--fix` would do about a finding. It never deletes mail. */
export interface Fix {
  /** A sentence in the imperative. */
  says: string;
  /** @throws HivemailError, or the system's error; `locked` while a router holds the hive */
  apply(): Promise<void>;
}

/** What one look at a hive has shown. All texts are single lines, fit for a terminal. */
export interface Finding {
  /** Stable name of the check, as in `registry`. */
  check: string;
  level: Level;
  /** What was found, in a sentence. */
  what: string;
  /** What it means for the mail; nothing where all is well. */
  means?: string | undefined;
  /** What a person can do about it. */
  advice?: string | undefined;
  fix?: Fix | undefined;
}

/** A finding as a check returns it, before it is known by the check's name. */
export type Observation = Omit<Finding, 'check'>;

/** Says that all is well. */
export function allWell(what: string): Observation {
  return { level: 'ok', what };
}

const NAMED = 5;

/** Names the first of a list and counts the rest: `a, b and 7 more`. */
export function nameSome(names: readonly string[]): string {
  const shown = names.slice(0, NAMED).join(', ');
  const more = names.length - NAMED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Counts things: `1 letter`, `2 letters`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
