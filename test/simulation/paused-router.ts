/**
 * The real router over files in memory, stopped at any operation: for good, as by `kill -9`, or to go
 * on later, as by SIGSTOP, while another router works.
 *
 * A router is a function of what its operations, clocks and random numbers return. One that was
 * stopped goes on by running again from its start, with the answers that it got before, up to where it
 * stood; from there on its operations reach the files. So even an operation that no promise can hold
 * up can be the one it stands at.
 */
import type { HiveFs } from '../../src/hive/hive-fs.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { takeOverLog } from '../../src/log/take-over.ts';
import { systemCode } from '../../src/protocol/errors.ts';
import { assembleRouter } from '../../src/router/assemble-router.ts';
import { runPass } from '../../src/router/pass.ts';
import { PendingEvents } from '../../src/router/pending-events.ts';
import type { Router } from '../../src/router/router.ts';
import { closeEpoch, openEpoch, takeOverEpochs } from '../../src/spool/epoch.ts';
import { drawing } from './drawing.ts';
import { Halt, Replay, type Stretch, type Surroundings } from './replay.ts';

/** Where a router stands after a stretch. */
export type Standing = 'between passes' | 'within a pass' | 'ended';

/** Whether the log is taken over before the fence, as the product does, or after it. */
export const takeover = { early: false };

/** See the head of this file. */
export class PausedRouter {
  standing: Standing = 'between passes';
  readonly #around: Surroundings;
  readonly #takeover: boolean;
  #replay: Replay;
  #router: Router | undefined;
  #passes = 0;

  /** @param takeover - another router may still live, as with `--takeover` */
  constructor(around: Surroundings, takeover: boolean) {
    this.#around = around;
    this.#takeover = takeover;
    this.#replay = new Replay(around, []);
  }

  /** How many operations have reached the files. */
  get operations(): number {
    return this.#replay.operations;
  }

  /** Lets it go on for a stretch, with the operation that it was stopped before. */
  async goOn(stretch: Stretch): Promise<Standing> {
    if (this.standing === 'ended') return 'ended';
    const resumed = this.standing === 'within a pass';
    if (resumed) this.#replay = new Replay(this.#around, this.#replay.answers);
    this.#replay.begin(stretch);
    const before = drawing.random;
    drawing.random = this.#replay.random;
    const until = this.#passes + (stretch.passes ?? Number.POSITIVE_INFINITY);
    if (resumed) [this.#passes, this.#router] = [0, undefined];
    try {
      this.standing = await this.#live(until);
    } catch (error) {
      if (!this.#replay.halted) throw error;
      this.standing = 'within a pass';
    } finally {
      drawing.random = before;
    }
    return this.standing;
  }

  /** Stops it as the person does: what is left is left in order. */
  async stop(): Promise<void> {
    if (this.standing !== 'between passes' || this.#router === undefined) return;
    const { fs, epoch } = this.#router;
    this.#replay.begin({});
    this.standing = 'ended';
    try {
      if (fs.stat(epoch.dir) !== undefined) closeEpoch(fs, epoch);
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
    }
  }

  async #live(until: number): Promise<Standing> {
    this.#router ??= await this.#open();
    if (this.#router === undefined) return 'ended';
    while (this.#passes < until) {
      try {
        await runPass(this.#router, { takeIn: true });
      } catch (error) {
        const code = systemCode(error);
        if (code === undefined) throw error;
        if (code === 'fenced') return 'ended';
      }
      if (this.#replay.halted) throw new Halt();
      this.#passes += 1;
    }
    return 'between passes';
  }

  /** Opens the hive as `openRouter` does; nothing when the machine or another router forbids it. */
  async #open(): Promise<Router | undefined> {
    const { fs, clock, random } = this.#replay;
    const layout = layoutOf('/hive');
    try {
      for (const dir of [layout.control, layout.historyQueue, layout.held]) {
        if (fs.stat(dir) === undefined) fs.mkdir(dir);
      }
      const epoch = await this.#takeOver(fs);
      const history = { nudge: () => {} };
      return assembleRouter({
        fs,
        layout,
        clock,
        epoch,
        history,
        random,
        pendingEvents: new PendingEvents(),
      });
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return undefined;
    }
  }

  async #takeOver(fs: HiveFs): Promise<Router['epoch']> {
    const layout = layoutOf('/hive');
    const { random } = this.#replay;
    if (this.#takeover && takeover.early)
      await takeOverLog(fs, layout.log, `/hive/.tmp-${random()}`);
    const epoch = await openEpoch({ fs, layout }, { after: 0, tail: random() });
    await takeOverEpochs({ fs, layout }, epoch);
    if (this.#takeover && !takeover.early)
      await takeOverLog(fs, layout.log, `${epoch.stage}/log.jsonl`);
    return epoch;
  }
}
