import { lstatSync } from 'node:fs';
import type { HiveLayout } from '../hive/layout.ts';
import { findGit } from './git.ts';
import { HistoryReader } from './history-reader.ts';

/** What reading a history takes. */
export interface OpenReaderOptions {
  layout: Pick<HiveLayout, 'git'>;
  /** The environment to look git up in; the process's own by default. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Ends git, and all reading with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the history of a hive to read it; the router may go on recording.
 * @returns nothing where the hive has no history
 * @throws HivemailError `git` when there is no git to read it with
 */
export async function openHistoryReader(
  options: OpenReaderOptions,
): Promise<HistoryReader | undefined> {
  const { git: gitDir } = options.layout;
  // Through a link it would be another hive's.
  if (lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined;
  const git = findGit({ ...options, gitDir, home: gitDir });
  return new HistoryReader(git, options.signal);
}
