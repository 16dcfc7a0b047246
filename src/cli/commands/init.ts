import { join } from 'node:path';
import {
  createHive,
  type Hive,
  HivemailError,
  type InitResult,
  openHive,
  shellQuote,
} from '../../index.ts';
import type { Context } from '../context.ts';
import { splitList } from '../lists.ts';

/** Options of `init`. */
export interface InitOptions {
  agents?: string;
  orchestrator?: string | false;
}

const AGENTS = 'god,planner,coder';
const ORCHESTRATOR = 'god';

/** Makes a hive, or completes an existing one, and says what to do next. */
export async function init(
  context: Context,
  given: string | undefined,
  options: InitOptions,
): Promise<void> {
  const dir = context.path(given ?? context.options.hive ?? 'hive');
  const agents = splitList(options.agents ?? AGENTS);
  const result = await createHive(dir, { agents, orchestrator: orchestratorOf(agents, options) });
  const made = openHive(dir).agents();
  if (context.json) {
    const orchestrator = made.find((agent) => agent.orchestrator)?.id ?? null;
    return context.printJson({ ...result, orchestrator });
  }
  for (const line of linesOf(context, result, made)) context.print(line);
  if (result.created) return;
  context.print('What was missing has been put back; nothing else was changed.');
  if (options.agents !== undefined) context.print('Add agents with `hivemail agent add ID`.');
}

type Agents = ReturnType<Hive['agents']>;

function linesOf(context: Context, { dir, created, notes }: InitResult, made: Agents): string[] {
  const has = created ? 'Made a hive in' : 'There is a hive already in';
  const lines = [`${has} ${dir}. Agents: ${namesOf(made)}.`, ...notes];
  if (!created) return lines;
  const first = made.find((agent) => !agent.orchestrator) ?? made[0];
  return [...lines, ...nextSteps(context, dir, first?.id)];
}

function namesOf(agents: Agents): string {
  const names = agents.map(({ id, orchestrator }) => (orchestrator ? `${id} (orchestrator)` : id));
  return names.join(', ') || 'none';
}

function orchestratorOf(
  agents: readonly string[],
  { orchestrator }: InitOptions,
): string | undefined {
  if (orchestrator === false) return undefined;
  if (orchestrator === '')
    throw new HivemailError('usage', 'Name the orchestrator, or say --no-orchestrator.');
  return orchestrator ?? agents.find((agent) => agent === ORCHESTRATOR);
}

function nextSteps(context: Context, dir: string, agent: string | undefined): string[] {
  const isUsual = dir === context.path('hive');
  const up = isUsual ? 'hivemail up' : `hivemail up ${shellQuote(dir)}`;
  const hive = isUsual ? '' : ` --hive ${shellQuote(dir)}`;
  const start =
    agent === undefined
      ? `hivemail agent add ID${hive}`
      : `eval "$(hivemail agent env ${agent}${hive})"`;
  const what =
    agent === undefined ? 'Add an agent:' : 'In the shell of each agent, before its client starts:';
  return [
    '',
    'Next:',
    '  1. Run the router, and leave it running:',
    `       ${up}`,
    `  2. ${what}`,
    `       ${start}`,
    `     Tell it: You are the agent "$HIVEMAIL_AGENT". Read ${join(dir, 'PROTOCOL.md')} first.`,
  ];
}
