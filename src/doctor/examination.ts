import { relative } from 'node:path';
import type { HiveFs } from '../hive/hive-fs.ts';
import { type HiveLayout, layoutOf } from '../hive/layout.ts';
import { createNodeFs } from '../hive/node-fs.ts';
import { ownerState, type RouterOwner, readOwner } from '../hive/owner.ts';
import { type Registry, readRegistry, rosterOf } from '../hive/registry.ts';
import { readTail } from '../log/rows.ts';
import { type AgentId, DESK, isAgentId } from '../protocol/addresses.ts';
import type { Clock } from '../protocol/clock.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { LogRow } from '../protocol/event.ts';
import { type Machine, thisMachine } from './machine.ts';

/** How a hive is examined. */
export interface DiagnoseOptions {
  clock: Clock;
  /** Environment variables; git is looked up on their `PATH`. */
  env: Readonly<Record<string, string | undefined>>;
  /** The hive's files; the machine's own unless a test says otherwise. */
  fs?: HiveFs;
  /** The machine; the running one unless a test says otherwise. */
  machine?: Machine;
}

/** A hive under examination, and what several checks need of it. */
export interface Examination {
  fs: HiveFs;
  layout: HiveLayout;
  clock: Clock;
  env: DiagnoseOptions['env'];
  machine: Machine;
  /** Nothing when registry.json can't be read; the check of the registry says why. */
  registry: Registry | undefined;
  /** Owners of mailboxes: the agents and the person. Without a registry, by their directories. */
  owners: AgentId[];
  /** Owners whose directories can't be looked into; not among `owners`, so that the others can. */
  unreachable: AgentId[];
  /** The router that holds the hive or held it last, as far as owner.json tells. */
  router: RouterOwner | undefined;
  /** `none`: no router is known. For the others see `ownerState`. */
  routerState: 'none' | 'running' | 'ended' | 'elsewhere';
}

const TAIL_BYTES = 1024 * 1024;

/** Reads what several checks need. Changes nothing. */
export function beginExamination(dir: string, options: DiagnoseOptions): Examination {
  const { clock, env, fs = createNodeFs(), machine = thisMachine } = options;
  const layout = layoutOf(dir);
  const registry = unlessBroken(() => readRegistry(fs, layout.registry));
  const router = unlessBroken(() => readOwner(fs, layout));
  const ids =
    registry === undefined
      ? (unlessBroken(() => namesIn(fs, layout.agents)) ?? []).filter(isAgentId)
      : [...rosterOf(registry).agents.keys()];
  const isReachable = (id: AgentId): boolean => {
    const { done, sent } = layout.agent(id);
    return unlessBroken(() => [done, sent].map((dir) => fs.stat(dir))) !== undefined;
  };
  const all = [...ids, DESK];
  return {
    ...{ fs, layout, clock, env, machine, registry, router },
    owners: all.filter(isReachable),
    unreachable: all.filter((id) => !isReachable(id)),
    routerState: router === undefined ? 'none' : ownerState(router),
  };
}

/** Takes a failure of the machine or of a file as nothing; the check of that file reports it. */
export function unlessBroken<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof HivemailError || systemCode(error) !== undefined) return undefined;
    throw error;
  }
}

/**
 * Names in a directory, sorted; none where there is no directory.
 * @throws the system's error where it can't be listed: that nothing is in it must not be said then
 */
export function namesIn(fs: HiveFs, dir: string): string[] {
  try {
    return fs.list(dir).sort();
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** Reads the last rows of the log, oldest first; none where it can't be read. */
export function lastRows({ fs, layout }: Examination): LogRow[] {
  return unlessBroken(() => readTail(fs, layout.log, TAIL_BYTES)) ?? [];
}

/** Names a path as a person sees it who stands in the hive. */
export function inHive({ layout }: Pick<Examination, 'layout'>, path: string): string {
  return relative(layout.root, path).replaceAll('\\', '/') || '.';
}
