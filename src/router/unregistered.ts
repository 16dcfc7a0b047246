import { join } from 'node:path';
import { versionOf } from '../hive/file-version.ts';
import { agentOf } from '../hive/registry.ts';
import { DESK, isAgentId } from '../protocol/addresses.ts';
import type { Router } from './router.ts';

/**
 * Reports directories in `agents/` that belong to no agent of the roster: letters in them are not
 * routed, since nobody is known to own them.
 */
export function findUnregistered({ fs, layout, seen, census, health }: Router): void {
  if (census === undefined) return;
  const version = versionOf(fs.stat(layout.agents));
  if (seen.agents === version) return;
  const keys = new Set<string>();
  for (const name of fs.list(layout.agents)) {
    if (name === DESK || name.startsWith('.') || agentOf(census.registry, name) !== undefined)
      continue;
    if (fs.stat(join(layout.agents, name))?.kind !== 'directory') continue;
    const key = `unregistered/${name}`;
    keys.add(key);
    const hint = isAgentId(name)
      ? `Add it with \`hivemail agent add ${name}\`.`
      : 'The name is no agent id.';
    const message = `agents/${name} belongs to no agent of the roster; letters in it are not routed. ${hint}`;
    health.report(key, { red: false, message });
  }
  health.keepOnly('unregistered/', keys);
  seen.agents = version;
}
