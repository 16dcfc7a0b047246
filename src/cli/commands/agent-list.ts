import { escapeLine, foldCase, type Hive, HivemailError, type RegistryAgent } from '../../index.ts';
import type { Context } from '../context.ts';
import { renderTable } from '../table.ts';

type Agent = ReturnType<Hive['agents']>[number];

/** Lists the agents. */
export async function listAgents(context: Context): Promise<void> {
  const agents = context.hive.agents();
  if (context.json) return context.printJson(agents.map(asJson));
  if (agents.length === 0) return context.print('No agents. Add one with `hivemail agent add ID`.');
  const rows = agents.map((agent) => [
    agent.id,
    agent.entry.name ?? agent.id,
    agent.entry.role ?? '-',
    stateOf(agent),
    agent.entry.capabilities?.join(', ') ?? '',
  ]);
  for (const line of renderTable([['ID', 'NAME', 'ROLE', 'STATE', 'CAPABILITIES'], ...rows])) {
    context.print(line);
  }
}

/** Shows what the registry says of an agent. */
export async function showAgent(context: Context, id: string): Promise<void> {
  const agent = context.hive.agents().find((one) => one.id === foldCase(id));
  if (agent === undefined) {
    const message = `This hive has no agent "${id}". \`hivemail agent list\` shows those it has.`;
    throw new HivemailError('not-found', message);
  }
  const directory = context.hive.layout.agent(agent.id).root;
  if (context.json) return context.printJson({ ...asJson(agent), directory });
  const { id: _, ...fields } = agent.entry as RegistryAgent & { id?: unknown };
  const rows = Object.entries({ id: agent.id, state: stateOf(agent), directory, ...fields });
  const shown = rows.filter(([, value]) => value !== undefined && value !== null);
  for (const line of renderTable(shown.map(([name, value]) => [name, asText(value)]))) {
    context.print(line);
  }
}

function asJson({ id, orchestrator, entry }: Agent): object {
  return { ...entry, id, orchestrator };
}

function stateOf({ orchestrator, entry }: Agent): string {
  const states = [
    orchestrator ? 'orchestrator' : '',
    entry.archived === true ? 'archived' : '',
    entry.onHold === true ? 'on hold' : '',
    entry.isAssistant === true ? 'send-only' : '',
  ].filter((state) => state !== '');
  return states.join(', ') || 'active';
}

function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((part) => typeof part === 'string'))
    return value.join(', ');
  return escapeLine(JSON.stringify(value));
}
