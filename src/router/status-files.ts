import { randomTail } from '../hive/random.ts';
import { replaceFile } from '../hive/replace-file.ts';
import { toTimestamp } from '../protocol/clock.ts';
import { systemCode } from '../protocol/errors.ts';
import type { DoorbellWakes } from './doorbell-wakes.ts';
import { fleetOf } from './fleet.ts';
import type { HealthReport } from './health.ts';
import type { Router } from './router.ts';

/** How often the files are rewritten while something changes, and while nothing does. */
const CHANGED_MS = 3000;
const UNCHANGED_MS = 30_000;

/** What else than the router itself is told of. */
export interface StatusSources {
  /** What the history says of itself. */
  history: { state(): { ok: boolean; behind: number; problem?: string } };
  /** The wakes that were asked for, where there are any. */
  wakes?: Pick<DoorbellWakes, 'version' | 'format' | 'record'>;
}

/**
 * Writes what others read of a router's state: `.router/health.json`, `.router/wakes.json` and
 * fleet.json. None is part of any promise, so a disk in trouble only makes them old.
 */
export class StatusWriter {
  readonly #router: Router;
  readonly #history: StatusSources['history'];
  readonly #wakes: StatusSources['wakes'];
  #wakesWritten = 0;
  #writtenAtMs = Number.NEGATIVE_INFINITY;
  #written = '';
  #lastPassAt: string | undefined;
  /** The write under way. */
  #writing: Promise<void> | undefined;

  constructor(router: Router, { history, wakes }: StatusSources) {
    this.#router = router;
    this.#history = history;
    this.#wakes = wakes;
  }

  /**
   * Writes after a pass, when it is time to. The next pass need not wait for it.
   * @param whole - false when the pass could not be finished
   */
  async writeIfDue(whole: boolean): Promise<void> {
    const { clock } = this.#router;
    if (whole) this.#lastPassAt = toTimestamp(clock.now());
    const age = clock.monotonic() - this.#writtenAtMs;
    if (age < CHANGED_MS || this.#writing !== undefined) return;
    const changed = this.#signature() !== this.#written;
    if (changed || age >= UNCHANGED_MS) await this.write();
  }

  /** Writes now, after the write that is under way. */
  async write(): Promise<void> {
    const before = this.#writing;
    const writing = (async () => {
      await before;
      await this.#write();
    })();
    this.#writing = writing;
    try {
      await writing;
    } finally {
      if (this.#writing === writing) this.#writing = undefined;
    }
  }

  async #write(): Promise<void> {
    const { fs, layout, clock, health } = this.#router;
    this.#writtenAtMs = clock.monotonic();
    this.#written = this.#signature();
    try {
      const report = `${JSON.stringify(this.#report(), undefined, 2)}\n`;
      await replaceFile(fs, layout.health, report, randomTail);
      await this.#writeWakes();
      const fleet = `${JSON.stringify(fleetOf(this.#router, this.#wakes), undefined, 2)}\n`;
      await replaceFile(fs, layout.fleet, fleet, randomTail);
      health.clear('status-files');
    } catch (error) {
      const code = systemCode(error);
      if (code === undefined) throw error;
      this.#written = '';
      const message = `fleet.json and .router/health.json can't be written (${code}); they are old.`;
      health.report('status-files', { red: false, message });
    }
  }

  async #writeWakes(): Promise<void> {
    const { version } = this.#wakes ?? { version: 0 };
    if (this.#wakes === undefined || version === this.#wakesWritten) return;
    await replaceFile(this.#router.fs, this.#router.layout.wakes, this.#wakes.format(), randomTail);
    this.#wakesWritten = version;
  }

  #report(): HealthReport {
    const { health, epoch, fs, clock } = this.#router;
    const history = this.#history.state();
    if (history.ok) health.clear('history');
    else
      health.report('history', {
        red: false,
        message: history.problem ?? 'The history is behind.',
      });
    return {
      state: health.state,
      at: toTimestamp(clock.now()),
      pid: process.pid,
      epoch: epoch.number,
      lastPassAt: this.#lastPassAt,
      owedBatches: fs.list(epoch.owed).length,
      deferredCopies: fs.list(epoch.deferred).length,
      historyBehind: history.behind,
      problems: health.problems,
    };
  }

  #signature(): string {
    const { log, health } = this.#router;
    const { ok, behind } = this.#history.state();
    return `${log.seq} ${this.#wakes?.version ?? 0} ${health.problems.map(({ key }) => key).join(' ')} ${ok} ${behind}`;
  }
}
