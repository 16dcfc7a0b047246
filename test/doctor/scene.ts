import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyFixes, type FixResult } from '../../src/doctor/apply-fixes.ts';
import { diagnose } from '../../src/doctor/diagnose.ts';
import type { DiagnoseOptions } from '../../src/doctor/examination.ts';
import type { Finding } from '../../src/doctor/finding.ts';
import { type Machine, thisMachine } from '../../src/doctor/machine.ts';
import { type HiveLayout, layoutOf } from '../../src/hive/layout.ts';
import { createHive } from '../../src/index.ts';
import type { AgentId } from '../../src/protocol/addresses.ts';
import { tempDir } from '../helpers/temp-dir.ts';

/** 2026-11-30, 17:19 UTC. */
export const NOW = Date.parse('2026-11-30T17:19:11.123Z');

const NOBODY = 65_534;

/** A hive of its own for one test. */
export interface Scene {
  dir: string;
  layout: HiveLayout;
  /** Paths of an agent's directory. */
  agent(id: string): ReturnType<HiveLayout['agent']>;
  /** Writes a file by its path in the hive, making its directories. */
  write(path: string, content: unknown): string;
  /** Changes registry.json. */
  roster(change: (registry: { godId: unknown; agents: Record<string, object> }) => void): void;
  /** Returns what one check finds, or all do. */
  look(check?: string, options?: Partial<DiagnoseOptions>): Promise<Finding[]>;
  /** Applies the fixes of one check. */
  fix(check: string): Promise<FixResult[]>;
}

/** Makes a hive with the agents god (orchestrator), planner and coder. */
export async function makeScene(dir = join(tempDir(), 'hive')): Promise<Scene> {
  await createHive(dir, { agents: ['god', 'planner', 'coder'], orchestrator: 'god' });
  const layout = layoutOf(dir);
  const clock = { now: () => NOW, monotonic: () => 1000 };
  const look: Scene['look'] = async (check, options = {}) => {
    const findings = await diagnose(dir, { clock, env: process.env, ...options });
    return check === undefined ? findings : findings.filter((finding) => finding.check === check);
  };
  const write: Scene['write'] = (path, content) => {
    const at = join(dir, path);
    mkdirSync(dirname(at), { recursive: true, mode: 0o700 });
    writeFileSync(at, typeof content === 'string' ? content : JSON.stringify(content), {
      mode: 0o600,
    });
    return at;
  };
  return {
    dir,
    layout,
    agent: (id) => layout.agent(id as AgentId),
    write,
    roster: (change) => {
      const registry = JSON.parse(readFileSync(layout.registry, 'utf8'));
      change(registry);
      write('registry.json', registry);
    },
    look,
    fix: async (check) => applyFixes(await look(check)),
  };
}

/** The running machine, but for what is given. */
export function machineWith(changes: Partial<Machine>): Machine {
  return { ...thisMachine, ...changes };
}

/** Lists everything in a directory with its permissions, times and size, to be compared. */
export function snapshot(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const { mode, mtimeMs, size, ino } = lstatSync(join(dir, name));
      return `${name} ${mode.toString(8)} ${mtimeMs} ${size} ${ino}`;
    });
}

/** Directories above the temporary ones, which a test has no business to open for others. */
function isReachable(): boolean {
  for (let dir = dirname(tmpdir()); dir !== dirname(dir); dir = dirname(dir)) {
    if ((lstatSync(dir).mode & 0o001) === 0) return false;
  }
  return true;
}

/** Whether {@link unprivileged} can do its work here. */
export const canBeUnprivileged = process.geteuid?.() !== 0 || isReachable();

/**
 * Does something as a user whom permissions hold, who owns the hive: root passes all of them. Whoever
 * runs the tests as another user is that already.
 */
export async function unprivileged<T>(dir: string, action: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return action();
  giveAway(dir);
  for (let up = dirname(dir); up.startsWith(tmpdir()); up = dirname(up)) chmodSync(up, 0o711);
  process.setegid?.(NOBODY);
  process.seteuid?.(NOBODY);
  try {
    return await action();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

function giveAway(path: string): void {
  lchownSync(path, NOBODY, NOBODY);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name));
}
