import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../protocol/clock.ts';
import { type Repository, runRecorded } from './recorder.ts';

const PACKS_MOST = 64;
const COMPACT_TIMEOUT_MS = 600_000;
const RETRY_MS = 600_000;

/**
 * Joins the small packs that recording leaves, once there are many: every look-up in git goes
 * through all of them. Geometric, so that the large ones are left alone (0.26 s for 100 packs of ten
 * messages; a full gc at 100 000 messages takes 6.5 s).
 * @param packsMost - join only when there are as many packs
 * @returns whether anything was joined
 * @throws HivemailError `git`; the history is whole all the same
 */
export async function compactPacks(
  repository: Repository,
  { signal, packsMost = PACKS_MOST }: { signal?: AbortSignal; packsMost?: number } = {},
): Promise<boolean> {
  const packs = readdirSync(join(repository.gitDir, 'objects', 'pack')).filter((name) =>
    name.endsWith('.pack'),
  );
  if (packs.length < packsMost) return false;
  await runRecorded(repository, ['repack', '--quiet', '-d', '--geometric=2'], {
    signal,
    timeoutMs: COMPACT_TIMEOUT_MS,
  });
  return true;
}

/** Joins packs again and again, for as long as nothing more urgent ends it. */
export class Compaction {
  readonly #clock: Clock;
  readonly #onFailure: (cause: unknown) => void;
  #running: AbortController | undefined;
  #retryAt = Number.NEGATIVE_INFINITY;

  /** @param onFailure - told why, at most every ten minutes */
  constructor(clock: Clock, onFailure: (cause: unknown) => void) {
    [this.#clock, this.#onFailure] = [clock, onFailure];
  }

  /** Joins packs if there are many. Never throws: the history is whole all the same. */
  async run(repository: Repository | undefined): Promise<void> {
    if (repository === undefined || this.#clock.monotonic() < this.#retryAt) return;
    this.#running = new AbortController();
    const { signal } = this.#running;
    try {
      await compactPacks(repository, { signal });
    } catch (error) {
      if (signal.aborted) return;
      this.#retryAt = this.#clock.monotonic() + RETRY_MS;
      this.#onFailure(error);
    } finally {
      this.#running = undefined;
    }
  }

  /** Ends what is under way. */
  abort(): void {
    this.#running?.abort();
  }
}
