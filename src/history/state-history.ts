import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import type { AgentId } from '../protocol/addresses.ts';
import type { Clock } from '../protocol/clock.ts';
import type { HistoryReport } from './prepare.ts';
import { readStateFiles, type StateContent } from './read-state.ts';
import { type RecordedState, readRecordedState, recordState } from './record-state.ts';
import type { Repository } from './recorder.ts';
import type { StateFile } from './state-files.ts';
import { StateWatch } from './state-watch.ts';

const GROUP_FILES = 500;
const GROUP_BYTES = 16 * 1024 * 1024;

/** What the history of the small files takes from outside. */
export interface StateHistoryOptions {
  fs: HiveFs;
  layout: HiveLayout;
  clock: Clock;
  report: (report: HistoryReport) => void;
}

/** Keeps the small files of a hive in the history: finds what changed, and records it. */
export class StateHistory {
  readonly #options: StateHistoryOptions;
  readonly #watch: StateWatch;
  /** Files that are not recorded, each with the sentence that was said about it. */
  readonly #skipped = new Map<string, string>();
  #recorded: RecordedState | undefined;

  constructor(options: StateHistoryOptions) {
    this.#options = options;
    this.#watch = new StateWatch(options);
  }

  /**
   * Looks at the files whose turn it is, or at all of them.
   * @returns whether something waits to be recorded
   */
  look(agents: readonly AgentId[], which: 'due' | 'all'): boolean {
    if (which === 'all') this.#watch.lookAtAll(agents);
    else this.#watch.look(agents);
    return this.#watch.waiting > 0;
  }

  /**
   * Records what has changed.
   * @param goOn - asked before each group of files
   * @throws HivemailError `git`; what was not recorded is tried again
   */
  async record(
    repository: Repository,
    { signal, goOn }: { signal: AbortSignal; goOn: () => boolean },
  ): Promise<boolean> {
    let recordedAny = false;
    while (this.#watch.waiting > 0 && goOn()) {
      const files = this.#watch.take(GROUP_FILES);
      try {
        recordedAny = (await this.#recordGroup(repository, files, signal)) || recordedAny;
      } catch (error) {
        this.#watch.putBack(files);
        throw error;
      }
    }
    return recordedAny;
  }

  /** Takes nothing for recorded that was: the repository may be another one next time. */
  forgetRecorded(): void {
    this.#recorded = undefined;
    this.#watch.forgetAll();
  }

  async #recordGroup(
    repository: Repository,
    files: readonly StateFile[],
    signal: AbortSignal,
  ): Promise<boolean> {
    const { fs, layout, clock } = this.#options;
    this.#recorded ??= await readRecordedState(repository, signal);
    const { contents, left } = readSome(fs, layout, files);
    this.#watch.putBack(left);
    for (const content of contents) this.#noteSkipped(content);
    const recorded = this.#recorded;
    return await recordState(repository, contents, { recorded, now: clock.now(), signal });
  }

  /** Says once of a file that it is not recorded, until it is again. */
  #noteSkipped(content: StateContent): void {
    const { name } = content.file;
    if (!('skipped' in content)) {
      this.#skipped.delete(name);
      return;
    }
    if (content.again) this.#watch.forget(content.file);
    if (this.#skipped.get(name) === content.skipped) return;
    this.#skipped.set(name, content.skipped);
    this.#options.report({ kind: 'state-skipped', sentence: content.skipped });
  }
}

/** Reads files until they are too much for one import. */
function readSome(
  fs: HiveFs,
  layout: HiveLayout,
  files: readonly StateFile[],
): { contents: StateContent[]; left: readonly StateFile[] } {
  const contents: StateContent[] = [];
  let bytes = 0;
  for (const content of readStateFiles(fs, layout, files)) {
    contents.push(content);
    if ('bytes' in content) bytes += content.bytes?.length ?? 0;
    if (bytes >= GROUP_BYTES) break;
  }
  return { contents, left: files.slice(contents.length) };
}
