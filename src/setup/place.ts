import { homedir } from 'node:os';
import type { DoorbellMode } from '../doorbell/decide.ts';
import { OWN_LAUNCHER } from '../doorbell/launcher.ts';
import { doorbellPaths } from '../doorbell/paths.ts';
import { readDoorbellSettings } from '../doorbell/settings.ts';
import { hookCommand, type Owner } from './hook-command.ts';
import type { Asked } from './plan.ts';
import { findProgram, type Program } from './program.ts';
import type { Kind, Scope } from './record.ts';
import { serverCommand } from './server-command.ts';
import { versionOf } from './version.ts';

/** For whom what is installed, and what surrounds that. */
export interface SetupPlace {
  kind: Kind;
  owner: Owner;
  /** Absolute path of the agent's directory. */
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the project. */
  cwd: string;
  /** Absolute path of hivemail's launcher; the package's own when left out. */
  launcher?: string | undefined;
}

/** Which settings are meant. */
export interface Target {
  scope: Scope;
  /** Absolute path; with the scope `file`. */
  file?: string | undefined;
}

/** Chooses the program that the hooks call. */
export function programOf({ env, launcher = OWN_LAUNCHER }: SetupPlace): Program {
  return findProgram({ env, launcher, execPath: process.execPath, platform: process.platform });
}

/** Reads how the agent is told of its mail. */
export function modeOf({ root }: SetupPlace): DoorbellMode {
  return readDoorbellSettings(doorbellPaths(root).settings).mode;
}

/** Puts what a client's setup is asked. */
export function askOf(place: SetupPlace, { scope, file }: Target, mode: DoorbellMode): Asked {
  const { owner, env, cwd } = place;
  const program = programOf(place);
  return {
    owner,
    scope,
    file,
    mode,
    env,
    cwd,
    home: env['HOME'] || homedir(),
    program,
    command: (event, ...flags) => hookCommand(program, owner, event, flags),
    server: serverCommand(program, owner),
    version: (name) => versionOf(name, env),
  };
}
