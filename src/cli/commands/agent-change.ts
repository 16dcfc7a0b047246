import { type AgentFields, foldCase, HivemailError, type RosterChange } from '../../index.ts';
import type { Context } from '../context.ts';
import { splitList } from '../lists.ts';
import { environmentOf, printExports } from './agent-env.ts';

/** Options of `agent add` and `agent set`. */
export interface FieldOptions {
  name?: string;
  role?: string;
  capabilities?: string;
  provider?: string;
  cwd?: string;
  reportsTo?: string;
  sendOnly?: boolean;
  orchestrator?: boolean;
}

/** Adds an agent and prints the environment of its sessions. */
export async function addAgent(context: Context, id: string, options: FieldOptions): Promise<void> {
  const change: RosterChange = { op: 'add', agent: id, fields: fieldsOf(context, options) };
  const said = await context.hive.changeRoster(change);
  const environment = environmentOf(context, id);
  if (context.json) return context.printJson({ agent: id, said, environment });
  context.print(`${said} A session that is this agent has in its environment:`);
  printExports(context, environment);
}

/** Changes fields of an agent. */
export async function setAgent(context: Context, id: string, options: FieldOptions): Promise<void> {
  const fields = fieldsOf(context, options);
  if (Object.keys(fields).length === 0) {
    throw new HivemailError(
      'usage',
      'Say what to set. `hivemail agent set --help` lists the fields.',
    );
  }
  await change(context, { op: 'set', agent: id, fields });
}

/** Changes the display name of an agent. */
export async function renameAgent(context: Context, id: string, name: string): Promise<void> {
  await change(context, { op: 'rename', agent: id, name: requireName(name) });
}

/** Makes the command that changes whether an agent is at work and gets its mail. */
export function changeState(
  op: 'archive' | 'restore' | 'hold' | 'unhold',
): (context: Context, id: string) => Promise<void> {
  return (context, id) => change(context, { op, agent: id });
}

async function change(context: Context, wanted: RosterChange): Promise<void> {
  const said = await context.hive.changeRoster(wanted);
  if (context.json) context.printJson({ agent: foldCase(wanted.agent), said });
  else context.print(said);
}

function fieldsOf(context: Context, options: FieldOptions): AgentFields {
  const { name, role, capabilities, provider, cwd, reportsTo, sendOnly, orchestrator } = options;
  const fields: AgentFields = {
    name: name === undefined ? undefined : requireName(name),
    role,
    capabilities: capabilities === undefined ? undefined : splitList(capabilities),
    provider,
    cwd: cwd === undefined ? undefined : context.path(cwd),
    reportsTo,
    isAssistant: sendOnly,
    isGod: orchestrator,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function requireName(name: string): string {
  if (name.trim() !== '') return name.trim();
  throw new HivemailError('usage', 'A display name says something.');
}
