import { takeInventory } from '../../hive/inventory.ts';
import type { Examination } from '../examination.ts';
import { allWell, nameSome, type Observation } from '../finding.ts';

const MOST_ENTRIES = 1000;

/** Looks for git repositories that agents keep in their directories. */
export async function checkNestedRepositories({ layout }: Examination): Promise<Observation[]> {
  const { entries } = await takeInventory(layout.agents, ['*/.git', '*/*/.git'], MOST_ENTRIES);
  if (entries.length === 0) return [allWell('No agent keeps a git repository in its directory.')];
  const names = entries.map(({ path }) => `agents/${path}`);
  return [
    {
      level: 'note',
      what: `An agent’s own git repository: ${nameSome(names)}.`,
      means: 'Harmless: the history never looks at agents’ directories.',
    },
  ];
}
