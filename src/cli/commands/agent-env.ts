import { type AgentId, escapeLine, exportLine, foldCase, HivemailError } from '../../index.ts';
import type { Context } from '../context.ts';

/** Prints the environment of an agent's session, and nothing else, so that a shell can evaluate it. */
export async function printEnvironment(context: Context, given: string): Promise<void> {
  const environment = environmentOf(context, given);
  if (context.json) return context.printJson(environment);
  printExports(context, environment);
}

/** Prints lines that a shell can evaluate. */
export function printExports(context: Context, environment: Record<string, string>): void {
  for (const [name, value] of Object.entries(environment)) context.print(exportLine(name, value));
}

/**
 * Tells what a session of an agent finds in its environment: our names, and those of Munder Difflin.
 * @throws HivemailError `not-found`
 */
export function environmentOf({ hive }: Context, given: string): Record<string, string> {
  const id = foldCase(given) as AgentId;
  const agent = hive.agents().find((one) => one.id === id);
  if (agent === undefined) {
    const message = `This hive has no agent "${given}". \`hivemail agent list\` shows those it has.`;
    throw new HivemailError('not-found', message);
  }
  return {
    HIVEMAIL_HIVE: hive.dir,
    HIVEMAIL_AGENT: id,
    HIVE_ROOT: hive.dir,
    AGENT_ID: id,
    AGENT_NAME: escapeLine(agent.entry.name ?? id),
    AGENT_DIR: hive.layout.agent(id).root,
  };
}
