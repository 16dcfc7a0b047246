import { join } from 'node:path';
import { makeAgentDirectory } from '../../hive/agent-directory.ts';
import { agentOf } from '../../hive/registry.ts';
import { type AgentId, DESK, isAgentId } from '../../protocol/addresses.ts';
import { type Examination, namesIn } from '../examination.ts';
import { allWell, count, nameSome, type Observation } from '../finding.ts';
import { underRouterLock } from '../under-lock.ts';

/** Compares the roster with the directories of the agents. */
export async function checkAgents(exam: Examination): Promise<Observation[]> {
  const { fs, layout, owners, unreachable } = exam;
  const kindOf = (id: AgentId) => fs.stat(layout.agent(id).root)?.kind;
  const missing = owners.filter((id) => kindOf(id) === undefined);
  const wrong = owners.filter((id) => !['directory', undefined].includes(kindOf(id)));
  const found = [
    ...aboutUnreachable(unreachable),
    ...aboutWrong(wrong),
    ...aboutMissing(exam, missing),
    ...aboutUnregistered(exam),
  ];
  if (found.length > 0) return found;
  return [
    allWell(
      `${count(owners.length, 'directory', 'directories')}, as many as there are agents and the person.`,
    ),
  ];
}

function aboutUnreachable(ids: readonly AgentId[]): Observation[] {
  if (ids.length === 0) return [];
  return [
    {
      level: 'error',
      what: `Can’t be looked into: ${nameSome(ids.map((id) => `agents/${id}`))}.`,
      means:
        'A router run by you can’t either: that agent gets no mail and can send none. What is for it is kept.',
      advice: 'Look at the permissions and the owner, and look as the user who runs the router.',
    },
  ];
}

function aboutWrong(ids: readonly AgentId[]): Observation[] {
  if (ids.length === 0) return [];
  return [
    {
      level: 'error',
      what: `No directory: ${nameSome(ids.map((id) => `agents/${id}`))}.`,
      means:
        'A link or file there leads nowhere: that agent gets no mail and can send none. What is for it is kept.',
      advice: 'Move it away; then `hivemail doctor --fix` makes the directory.',
    },
  ];
}

function aboutMissing(exam: Examination, ids: readonly AgentId[]): Observation[] {
  if (ids.length === 0) return [];
  const { fs, layout, registry } = exam;
  const entryOf = (id: AgentId) =>
    (registry === undefined ? undefined : agentOf(registry, id)) ?? {};
  const apply = (): Promise<void> =>
    underRouterLock(exam, async () => {
      for (const id of ids) await makeAgentDirectory(fs, layout, id, entryOf(id));
    });
  return [
    {
      level: 'warning',
      what: `In the roster, but without a directory: ${nameSome(ids)}.`,
      means: 'Mail for it is kept until it has one.',
      fix: { says: 'Make the directories.', apply },
    },
  ];
}

function aboutUnregistered({ fs, layout, registry }: Examination): Observation[] {
  if (registry === undefined) return [];
  const strangers = namesIn(fs, layout.agents).filter(
    (name) =>
      name !== DESK &&
      !name.startsWith('.') &&
      agentOf(registry, name) === undefined &&
      fs.stat(join(layout.agents, name))?.kind === 'directory',
  );
  if (strangers.length === 0) return [];
  const addable = strangers.filter(isAgentId);
  return [
    {
      level: 'warning',
      what: `Of no agent in the roster: ${nameSome(strangers.map((name) => `agents/${name}`))}.`,
      means: 'Letters in there are not routed, since nobody is known to own them.',
      advice:
        addable.length > 0
          ? `Add ${addable.length > 1 ? 'each' : 'it'} with \`hivemail agent add ${addable[0]}\`, or move it away.`
          : 'The name is no agent id: give the directory one that is, and add it with `hivemail agent add`.',
    },
  ];
}
