import { HivemailError } from '../protocol/errors.ts';
import { holdsSomeOf, withdrawChange } from './change.ts';
import { planOf } from './clients.ts';
import { onText } from './install.ts';
import { askOf, type SetupPlace, type Target } from './place.ts';
import type { Plan } from './plan.ts';
import { type InstallRecord, listRecords, removeRecord } from './record.ts';
import { readSettingsFile, removeSettingsFile, replaceSettingsFile } from './settings-file.ts';

/** What came of taking something out of one settings file. */
export interface UninstallReport {
  /** Absolute path of the settings file. */
  file: string;
  /** `kept`: what is there was changed by somebody, so that it is not clear what is ours. */
  did: 'restored' | 'removed' | 'nothing' | 'kept';
}

const TRIES = 5;

/**
 * Takes the hooks or the server of an agent out of a client's settings, and leaves these as they would be without.
 * @param target - which settings; when left out, all that the agent's records name
 * @throws HivemailError `refused` when the settings can't be worked with; nothing is written then
 */
export function uninstallSetup(place: SetupPlace, target?: Target): UninstallReport[] {
  const records = recordsOf(place);
  if (target === undefined && records.length > 0) {
    return records.map((record) => takeOut(place, { scope: 'file', file: record.file }, record));
  }
  const meant = target ?? { scope: 'project' };
  const { path } = readSettingsFile(planFor(place, meant).file);
  return [
    takeOut(
      place,
      meant,
      records.find(({ file }) => file === path),
    ),
  ];
}

/** The records of one agent in one client, of the kind that is meant. */
export function recordsOf({ kind, owner, root }: SetupPlace): InstallRecord[] {
  return listRecords(root).filter(
    (record) => record.kind === kind && record.client === owner.client,
  );
}

/** Plans what to look for; what is ours is the same in every mode. */
function planFor(place: SetupPlace, target: Target): Plan {
  return planOf(place.kind, place.owner.client)(askOf(place, target, 'notify'));
}

function takeOut(
  place: SetupPlace,
  target: Target,
  record: InstallRecord | undefined,
): UninstallReport {
  const plan = planFor(place, target);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const file = readSettingsFile(plan.file);
    const { text } = file;
    const isThere = onText(file, () => holdsSomeOf(text, plan.change));
    if (text === undefined || !isThere) {
      if (record !== undefined) removeRecord(place.root, record);
      return { file: plan.file, did: 'nothing' };
    }
    const left = onText(file, () => withdrawChange(text, plan.change, record?.trace));
    if (left === text) return { file: plan.file, did: 'kept' };
    const isDone =
      left === undefined
        ? removeSettingsFile(file, record?.dirs ?? [])
        : replaceSettingsFile(file, left);
    if (!isDone) continue;
    if (record !== undefined) removeRecord(place.root, record);
    return { file: plan.file, did: left === undefined ? 'removed' : 'restored' };
  }
  throw new HivemailError('refused', `${plan.file} keeps changing. Try again in a moment.`);
}
