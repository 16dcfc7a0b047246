import type { ClientName } from '../doorbell/clients.ts';
import type { DoorbellMode } from '../doorbell/decide.ts';
import { HivemailError } from '../protocol/errors.ts';
import { holdsChange, holdsSomeOf } from './change.ts';
import { planOf } from './clients.ts';
import { onText } from './install.ts';
import { askOf, modeOf, type SetupPlace } from './place.ts';
import type { Scope } from './record.ts';
import { readSettingsFile } from './settings-file.ts';
import { recordsOf } from './uninstall.ts';

/** How the hooks or the server of one agent stand in one settings file. */
export interface ShownSetup {
  client: ClientName;
  scope: Scope;
  /** Absolute path of the settings file. */
  file: string;
  /** `older`: there, and not as they would be installed now. `unreadable`: see `problem`. */
  state: 'as installed' | 'older' | 'gone' | 'unreadable';
  problem?: string | undefined;
  mode: DoorbellMode;
  /** ISO 8601, UTC. */
  installedAt: string;
}

/** Shows where the hooks or the server of an agent are installed, and whether they still are. Changes nothing. */
export function showSetups(place: SetupPlace): ShownSetup[] {
  return recordsOf(place).map((record) => {
    const { client, scope, file, at } = record;
    return { client, scope, file, ...stateOf(place, file), mode: modeOf(place), installedAt: at };
  });
}

function stateOf(place: SetupPlace, path: string): Pick<ShownSetup, 'state' | 'problem'> {
  try {
    const file = readSettingsFile(path);
    return onText(file, () => {
      const asked = askOf(place, { scope: 'file', file: path }, modeOf(place));
      const { change } = planOf(place.kind, place.owner.client)(asked);
      if (holdsChange(file.text, change)) return { state: 'as installed' };
      return { state: holdsSomeOf(file.text, change) ? 'older' : 'gone' };
    });
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return { state: 'unreadable', problem: error.message };
  }
}
