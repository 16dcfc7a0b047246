import { makeAgentDirectory } from '../hive/agent-directory.ts';
import { isSettledVersion, noteVersion, versionOf } from '../hive/file-version.ts';
import {
  agentOf,
  type Registry,
  type RegistryAgent,
  readRegistry,
  rosterOf,
  unusableIds,
} from '../hive/registry.ts';
import { readSettings, routingRules } from '../hive/settings.ts';
import { type AgentId, DESK } from '../protocol/addresses.ts';
import { HivemailError, systemCode } from '../protocol/errors.ts';
import type { Router } from './router.ts';
import { findUnregistered } from './unregistered.ts';

/**
 * Reads hive.json and registry.json anew when they changed. What can't be read leaves the last good one
 * in force and turns the health red; with no roster ever read, no letter is taken in.
 */
export async function refreshHive(router: Router): Promise<void> {
  refreshSettings(router);
  await refreshRoster(router);
  findUnregistered(router);
}

function refreshSettings(router: Router): void {
  const { fs, layout, seen, health, clock } = router;
  const version = versionOf(fs.stat(layout.settings));
  if (isSettledVersion(seen.settings, version, clock.monotonic())) return;
  try {
    router.settings = readSettings(fs, layout.settings);
    router.rules = routingRules(router.settings);
    seen.settings = noteVersion(seen.settings, version, clock.monotonic());
    health.clear('settings');
  } catch (error) {
    // The last good file itself may come back, by a rename, and has to end this.
    delete seen.settings;
    health.report('settings', {
      red: true,
      message: `${sentence(error)} The last good ones hold.`,
    });
  }
}

async function refreshRoster(router: Router): Promise<void> {
  const { fs, layout, seen, health, clock } = router;
  const version = versionOf(fs.stat(layout.registry));
  if (isSettledVersion(seen.registry, version, clock.monotonic())) {
    return completeDirectories(router);
  }
  try {
    const registry = readRegistry(fs, layout.registry);
    if (seen.registry?.version === version && isSame(registry, router)) {
      return await completeDirectories(router);
    }
    const roster = rosterOf(registry);
    router.census = { registry, roster };
    router.incomplete = new Set([...roster.agents.keys(), DESK]);
    await completeDirectories(router);
    router.recheckHeld = true;
    router.heldRetry = { failures: 0, atMs: 0 };
    seen.registry = noteVersion(seen.registry, version, clock.monotonic());
    seen.agents = '';
    health.clear('registry');
    reportUnusable(router, unusableIds(registry));
  } catch (error) {
    delete seen.registry;
    const what =
      router.census === undefined ? 'No letter is taken in.' : 'The last good roster holds.';
    health.report('registry', { red: true, message: `${sentence(error)} ${what}` });
  }
}

function isSame(registry: Registry, { census }: Router): boolean {
  return JSON.stringify(registry) === JSON.stringify(census?.registry);
}

/** Makes what agents' directories lack, again in each pass; trouble with one agent is that agent's alone. */
async function completeDirectories(router: Router): Promise<void> {
  const { census, incomplete, health } = router;
  if (incomplete.size === 0 || census === undefined) return;
  for (const id of incomplete) {
    await makeDirectory(id, agentOf(census.registry, id) ?? {}, router);
  }
  health.keepOnly('agent/', new Set([...incomplete].map((id) => `agent/${id}`)));
}

async function makeDirectory(id: AgentId, agent: RegistryAgent, router: Router): Promise<void> {
  try {
    await makeAgentDirectory(router.fs, router.layout, id, agent);
    router.incomplete.delete(id);
  } catch (error) {
    const message = `The directory of ${id} can't be made whole. ${sentence(error)}`;
    router.health.report(`agent/${id}`, { red: true, message });
  }
}

function reportUnusable({ health }: Router, ids: readonly string[]): void {
  if (ids.length === 0) return health.clear('registry-ids');
  const message = `registry.json names agents that can't have mail, because these are no ids: ${ids.join(', ')}.`;
  health.report('registry-ids', { red: false, message });
}

function sentence(error: unknown): string {
  if (error instanceof HivemailError) return error.message;
  const code = systemCode(error);
  if (code === undefined) throw error;
  return `It can't be read (${code}).`;
}
