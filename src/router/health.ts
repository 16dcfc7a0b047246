import type { Clock } from '../protocol/clock.ts';
import { toTimestamp } from '../protocol/clock.ts';

/** Something that is not as it should be. */
export interface HealthProblem {
  /** Stable name of the kind, as in `registry` or `owed/coder`. */
  key: string;
  /** A promise of the hive is at risk. Otherwise it is only worth knowing. */
  red: boolean;
  /** What it is and what to do, in a sentence or two. */
  message: string;
  /** The system's error code, where the machine refused something. */
  code?: string | undefined;
  /** ISO 8601, UTC: since when. */
  since: string;
}

/** What is amiss, as it is reported. */
export type ReportedProblem = Pick<HealthProblem, 'red' | 'message' | 'code'>;

/** `.router/health.json`. */
export interface HealthReport {
  state: 'green' | 'yellow' | 'red';
  /** ISO 8601, UTC: when this was written. */
  at: string;
  pid: number;
  epoch: number;
  /** ISO 8601, UTC: when the last whole pass ended. */
  lastPassAt?: string | undefined;
  /** Committed batches that are not finished. */
  owedBatches: number;
  /** Copies that wait for an inbox to become writable. */
  deferredCopies: number;
  /** Batches that the history has not recorded yet. */
  historyBehind: number;
  problems: HealthProblem[];
}

/** Collects problems under stable keys, and knows which are new and which have gone. */
export class Health {
  readonly #clock: Clock;
  readonly #onChange: (problem: HealthProblem, state: 'begins' | 'ends') => void;
  readonly #problems = new Map<string, HealthProblem>();

  /** @param onChange - told once when a problem begins and once when it ends */
  constructor(clock: Clock, onChange: (problem: HealthProblem, state: 'begins' | 'ends') => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Notes a problem; one that is known already keeps its beginning. */
  report(key: string, problem: ReportedProblem): void {
    const before = this.#problems.get(key);
    if (before !== undefined) {
      this.#problems.set(key, { ...before, ...problem });
      return;
    }
    const begun = { key, ...problem, since: toTimestamp(this.#clock.now()) };
    this.#problems.set(key, begun);
    this.#onChange(begun, 'begins');
  }

  /** Notes that a problem is over; harmless when there was none. */
  clear(key: string): void {
    const problem = this.#problems.get(key);
    if (problem === undefined) return;
    this.#problems.delete(key);
    this.#onChange(problem, 'ends');
  }

  /** Keeps, of all problems whose key begins with `prefix`, only those named; the rest is over. */
  keepOnly(prefix: string, keys: ReadonlySet<string>): void {
    for (const key of [...this.#problems.keys()]) {
      if (key.startsWith(prefix) && !keys.has(key)) this.clear(key);
    }
  }

  /** Finds a problem by its key. */
  problem(key: string): HealthProblem | undefined {
    return this.#problems.get(key);
  }

  /** Lists the problems, oldest first. */
  get problems(): HealthProblem[] {
    return [...this.#problems.values()];
  }

  /** Red while a promise is at risk, yellow while anything else is amiss. */
  get state(): HealthReport['state'] {
    if (this.problems.some(({ red }) => red)) return 'red';
    return this.#problems.size > 0 ? 'yellow' : 'green';
  }
}
