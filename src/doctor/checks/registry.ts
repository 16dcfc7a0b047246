import {
  agentOf,
  type Registry,
  readRegistry,
  rosterOf,
  unusableIds,
} from '../../hive/registry.ts';
import { foldCase } from '../../protocol/addresses.ts';
import { HivemailError } from '../../protocol/errors.ts';
import type { RosterAgent } from '../../routing/roster.ts';
import { type Examination, namesIn } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';

/** Looks whether registry.json holds a roster, and one that means what it says. */
export async function checkRegistry(exam: Examination): Promise<Observation[]> {
  let registry: Registry;
  try {
    registry = readRegistry(exam.fs, exam.layout.registry);
  } catch (error) {
    if (!(error instanceof HivemailError)) throw error;
    return [aboutUnreadable(exam, error.message)];
  }
  const roster = rosterOf(registry);
  const found = [
    ...aboutUnusable(registry),
    ...aboutOrchestrator(registry),
    ...aboutNames([...roster.agents.values()]),
  ];
  if (found.length > 0) return found;
  const who =
    roster.orchestrator === undefined
      ? 'no orchestrator, mail to the person goes to the desk'
      : `${roster.orchestrator} is the orchestrator`;
  return [allWell(`${count(roster.agents.size, 'agent')}; ${who}.`)];
}

function aboutUnreadable({ fs, layout }: Examination, why: string): Observation {
  const dirs = namesIn(fs, layout.agents).filter((name) => name !== 'human');
  const had = dirs.length === 0 ? '' : ` Directories are there for ${nameSome(dirs)}.`;
  return {
    level: 'error',
    what: why,
    means: 'A router that is up goes by the last good roster; one that starts takes no letter in.',
    advice: `Correct it, or move it away, run \`hivemail init\`, and add each agent with \`hivemail agent add\`.${had}`,
  };
}

function aboutUnusable(registry: Registry): Observation[] {
  const ids = unusableIds(registry);
  if (ids.length === 0) return [];
  return [
    {
      level: 'warning',
      what: `No ids, so these agents have no mail: ${nameSome(ids.map((id) => JSON.stringify(id)))}.`,
      means: 'Nobody can write to them, and their outboxes are not read.',
      advice:
        'An id is 1 to 64 of a-z, 0-9, ".", "_" and "-", no reserved name and no device of Windows. Correct registry.json and the directory’s name while no router is up.',
    },
  ];
}

function aboutOrchestrator(registry: Registry): Observation[] {
  const { godId } = registry;
  const marked = Object.keys(registry.agents).filter((id) => agentOf(registry, id)?.isGod === true);
  const { orchestrator } = rosterOf(registry);
  const found: Observation[] = [];
  if (godId != null && orchestrator === undefined) found.push(aboutDangling(registry, godId));
  const others = marked.filter((id) => id !== (godId ?? marked[0]));
  if (others.length > 0) {
    found.push({
      level: 'warning',
      what: `${marked.length > 1 ? 'Several agents are' : 'Another agent is'} marked as the orchestrator: ${nameSome(marked)}.`,
      means: `A hive has at most one; ${orchestrator === undefined ? 'none of them counts' : `${orchestrator} counts`}.`,
      advice: others.map((id) => `\`hivemail agent set ${id} --no-orchestrator\``).join(', '),
    });
  }
  return found;
}

function aboutDangling(registry: Registry, godId: string): Observation {
  const isArchived = agentOf(registry, godId)?.archived === true;
  return {
    level: 'warning',
    what: `godId names ${JSON.stringify(godId)}, ${isArchived ? 'which is archived' : 'and there is no such agent'}.`,
    means:
      'The hive has no orchestrator: mail to it bounces, and mail to the person goes to the desk.',
    advice: isArchived
      ? `Bring it back with \`hivemail agent restore ${godId}\`, or set godId to another agent.`
      : 'Set godId to an agent’s id, or to null.',
  };
}

function aboutNames(agents: readonly RosterAgent[]): Observation[] {
  const holders = new Map<string, string[]>();
  for (const { id, name, archived } of agents) {
    if (archived) continue;
    const key = foldCase(name.trim());
    holders.set(key, [...(holders.get(key) ?? []), id]);
  }
  const shared = [...holders].filter(([, ids]) => ids.length > 1);
  const hidden = agents.filter(
    ({ id, name }) => foldCase(name) !== id && agents.some((other) => other.id === foldCase(name)),
  );
  return [...aboutShared(shared), ...aboutHidden(hidden)];
}

function aboutShared(shared: readonly [string, string[]][]): Observation[] {
  if (shared.length === 0) return [];
  const names = shared.map(([name, ids]) => `${JSON.stringify(name)} (${ids.join(', ')})`);
  return [
    {
      level: 'note',
      what: `A display name of several agents: ${nameSome(names)}.`,
      means: 'A letter to that name bounces with their ids; a letter to an id arrives.',
      advice: 'Give one of them another name with `hivemail agent rename`.',
    },
  ];
}

function aboutHidden(agents: readonly RosterAgent[]): Observation[] {
  if (agents.length === 0) return [];
  const names = agents.map(({ id, name }) => `${id} is called ${JSON.stringify(name)}`);
  return [
    {
      level: 'note',
      what: `A display name that is another agent’s id: ${nameSome(names)}.`,
      means: 'A letter to that name goes to the agent with the id.',
      advice: 'Give it another name with `hivemail agent rename`.',
    },
  ];
}
