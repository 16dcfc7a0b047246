import type { HistoryReader } from '../history/history-reader.ts';
import { agentStateFiles, sharedStateFiles, statePath } from '../history/state-files.ts';
import type { HiveFs } from '../hive/hive-fs.ts';
import type { HiveLayout } from '../hive/layout.ts';
import { readText } from '../hive/read-text.ts';
import { emptyRegistry, parseRegistry, type Registry } from '../hive/registry.ts';
import { isAgentId } from '../protocol/addresses.ts';
import { HivemailError } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import type { Past } from './past.ts';

/** A file of a hive besides its mail, by its path in it. */
export interface StateFile {
  path: string;
  bytes: Uint8Array;
}

/** The small files of a hive as they stood. */
export interface PastState {
  registry: Registry;
  files: StateFile[];
  /** What the history does not have, in sentences. */
  missing: string[];
}

const MOST_BYTES = 64 * 1024 * 1024;
const REGISTRY = 'registry.json';

/**
 * Reads the small files of a hive as the history had them at a moment. Where it has no roster, today's
 * is taken, without what the log says was changed since.
 * @param later - rows after that moment, in their order
 */
export async function readPastState(
  { fs, layout, past }: { fs: HiveFs; layout: HiveLayout; past: Past },
  { untilMs, later }: { untilMs: number; later: readonly LogRow[] },
): Promise<PastState> {
  const found = await past.fromHistory((history) => readFrom(history, layout, untilMs));
  const files = found ?? [];
  const missing: string[] = [];
  let registry = registryIn(files);
  if (registry === undefined) {
    registry = rosterBefore(registryNow(fs, layout), later);
    missing.push(
      'The history has no registry.json of that time: the roster is that of today, without what the log says was changed since; names and roles are those of today.',
    );
  }
  const lacking = sharedStateFiles(layout)
    .map(({ name }) => name)
    .filter((path) => path !== REGISTRY && !files.some((file) => file.path === path));
  if (lacking.length > 0) missing.push(`The history has no ${lacking.join(', ')} of that time.`);
  return { registry, files: files.filter(({ path }) => path !== REGISTRY), missing };
}

async function readFrom(
  history: HistoryReader,
  layout: HiveLayout,
  untilMs: number,
): Promise<StateFile[]> {
  const commit = await history.commitAt(untilMs);
  if (commit === undefined) return [];
  const agents = await history.directory(commit, statePath({ name: 'agents' }));
  const ids = agents.map(({ name }) => name).filter(isAgentId);
  const files: StateFile[] = [];
  for (const file of [
    ...sharedStateFiles(layout),
    ...ids.flatMap((id) => agentStateFiles(layout, id)),
  ]) {
    const bytes = await history.file(commit, statePath(file));
    if (bytes !== undefined) files.push({ path: file.name, bytes });
  }
  return files;
}

function registryIn(files: readonly StateFile[]): Registry | undefined {
  const file = files.find(({ path }) => path === REGISTRY);
  return file === undefined ? undefined : tryParse(Buffer.from(file.bytes).toString('utf8'));
}

function registryNow(fs: HiveFs, { registry }: HiveLayout): Registry {
  return tryParse(readText(fs, registry, MOST_BYTES) ?? '') ?? emptyRegistry();
}

function tryParse(text: string): Registry | undefined {
  try {
    return parseRegistry(text);
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return undefined;
  }
}

/** What each change sets, so that it was not so before. */
const CHANGES: Readonly<Record<string, { archived?: boolean; onHold?: boolean }>> = {
  archive: { archived: false },
  restore: { archived: true },
  hold: { onHold: false },
  unhold: { onHold: true },
};

/** Takes later changes back, the last one first. */
function rosterBefore(registry: Registry, later: readonly LogRow[]): Registry {
  const agents = { ...registry.agents };
  for (const { kind, code = '', to = [] } of later.toReversed()) {
    if (kind !== 'roster') continue;
    for (const agent of to) {
      if (code === 'add') delete agents[agent];
      else if (Object.hasOwn(agents, agent)) agents[agent] = { ...agents[agent], ...CHANGES[code] };
    }
  }
  return { ...registry, agents };
}
