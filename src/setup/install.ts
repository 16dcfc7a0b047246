/**
 * Installing hooks, or the server of a mailbox, into a client's settings.
 *
 * Invariants: the record is written before the settings, so that what is in them can always be taken
 * away; the settings are written whole or not at all; what is there as wanted is not written again.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DoorbellMode } from '../doorbell/decide.ts';
import { doorbellPaths } from '../doorbell/paths.ts';
import { readDoorbellSettings } from '../doorbell/settings.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import { applyChange, type Changed, holdsChange, type Trace, withdrawChange } from './change.ts';
import { planOf } from './clients.ts';
import { commandIn, ownerOf } from './hook-command.ts';
import { UnfitText } from './json-document.ts';
import { type Before, listOwned } from './json-entries.ts';
import { askOf, modeOf, programOf, type SetupPlace, type Target } from './place.ts';
import type { Plan } from './plan.ts';
import { isPassing } from './program.ts';
import { type InstallRecord, listRecords, removeRecord, writeRecord } from './record.ts';
import {
  missingDirs,
  readSettingsFile,
  replaceSettingsFile,
  type SettingsFile,
} from './settings-file.ts';
import { storeTold } from './store-told.ts';

/** What came of an installation. */
export interface InstallReport {
  /** Absolute path of the settings file. */
  file: string;
  did: 'installed' | 'updated' | 'nothing';
  mode: DoorbellMode;
  /** Whether the agent may be woken by keystrokes into its tmux pane. */
  tmux: boolean;
  /** What the person should know or still has to do, in sentences. */
  notes: readonly string[];
}

const TRIES = 5;

/**
 * Installs the hooks or the server of an agent, or brings them up to date.
 * @param mode - how the agent is told from now on; as it was when left out
 * @param tmux - whether it may be woken by keystrokes into its tmux pane; as it was when left out
 * @throws HivemailError `refused` when the settings can't be worked with; nothing is written then
 */
export async function installSetup(
  place: SetupPlace,
  target: Target,
  mode: DoorbellMode = modeOf(place),
  tmux?: boolean,
): Promise<InstallReport> {
  const plan = planOf(place.kind, place.owner.client)(askOf(place, target, mode));
  const did = await putIn(place, target, plan);
  if (place.kind === 'hooks') await storeTold(place.root, { mode, tmux });
  const notes = isPassing(programOf(place)) ? [...plan.notes, PASSING] : plan.notes;
  return { file: plan.file, did, ...toldNow(place, mode), notes };
}

function toldNow({ root }: SetupPlace, mode: DoorbellMode): Pick<InstallReport, 'mode' | 'tmux'> {
  return { mode, tmux: readDoorbellSettings(doorbellPaths(root).settings).tmux };
}

const PASSING =
  'This hivemail runs from a cache that its package manager empties. Install it for good (npm install -g hivemail), then install this again.';

async function putIn(
  place: SetupPlace,
  { scope }: Target,
  plan: Plan,
): Promise<InstallReport['did']> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const file = readSettingsFile(plan.file);
    const own = listRecords(place.root).find((record) => isOn(record, place, file));
    if (own !== undefined && onText(file, () => holdsChange(file.text, plan.change)))
      return 'nothing';
    const others = othersOn(place, file);
    const changed = onText(file, () => changeText(file, plan, { own, others }));
    const record: InstallRecord = {
      kind: place.kind,
      client: place.owner.client,
      scope,
      file: file.path,
      trace: changed.trace,
      dirs: dirsOf(file, [own, ...others]),
      at: new Date().toISOString(),
    };
    await writeRecord(place.root, record);
    const isDone = writeOrForget(
      () => replaceSettingsFile(file, changed.text ?? ''),
      () => {
        if (own === undefined) removeRecord(place.root, record);
      },
    );
    if (isDone) return own === undefined ? 'installed' : 'updated';
  }
  throw new HivemailError('refused', `${plan.file} keeps changing. Try again in a moment.`);
}

/** A record of what could not be written is none. */
function writeOrForget(write: () => boolean, forget: () => void): boolean {
  try {
    return write();
  } catch (error) {
    forget();
    throw error;
  }
}

function isOn(record: InstallRecord, { kind, owner }: SetupPlace, file: SettingsFile): boolean {
  return record.kind === kind && record.client === owner.client && record.file === file.path;
}

function changeText(
  { text }: SettingsFile,
  { change }: Plan,
  records: { own: InstallRecord | undefined; others: readonly InstallRecord[] },
): Changed {
  const { own, others } = records;
  const known = Object.assign({}, ...[...others, own].map(beforeOf)) as Before;
  const ofOthers: Trace | undefined =
    others.length > 0 ? { form: 'entries', before: known } : undefined;
  const trace = own?.trace ?? ofOthers;
  const bare = text === undefined ? undefined : withdrawChange(text, change, trace);
  return applyChange(bare, change, known);
}

function beforeOf(record: InstallRecord | undefined): Before {
  return record !== undefined && 'before' in record.trace ? record.trace.before : {};
}

/** What else of ours is in the same file: of this hive, and of those that its hooks name. */
function othersOn(place: SetupPlace, file: SettingsFile): InstallRecord[] {
  const { owner, root } = place;
  const agents = dirname(root);
  const here = namesIn(agents).map((name) => join(agents, name));
  const named = onText(file, () =>
    listOwned(textOfJson(file), (value) => ownerOf(commandIn(value)) !== undefined),
  ).flatMap(({ value }) => {
    const found = ownerOf(commandIn(value));
    const isElsewhere = found !== undefined && found.hive !== owner.hive;
    return isElsewhere ? [join(found.hive, 'agents', found.agent)] : [];
  });
  const isOwn = (dir: string, record: InstallRecord): boolean =>
    dir === root && isOn(record, place, file);
  return [...new Set([...here, ...named])].flatMap((dir) =>
    listRecords(dir).filter((record) => record.file === file.path && !isOwn(dir, record)),
  );
}

/** A text that is no JSON names nobody. */
function textOfJson({ text = '' }: SettingsFile): string {
  return text.trimStart().startsWith('{') ? text : '';
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return [];
  }
}

/** Directories that come with the file, now or when the first of ours came into it. */
function dirsOf(file: SettingsFile, records: readonly (InstallRecord | undefined)[]): string[] {
  const known = records.flatMap((record) => record?.dirs ?? []);
  return [...new Set([...known, ...missingDirs(file)])].sort();
}

/** Says of which file a text can't be worked with. */
export function onText<Value>(file: SettingsFile, work: () => Value): Value {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnfitText)) throw error;
    const message = `${file.path} ${error.message}. Nothing was changed. Correct it, then try again.`;
    throw new HivemailError('refused', message, { cause: error });
  }
}
