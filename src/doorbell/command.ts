import { findInPath } from '../hive/path-lookup.ts';
import { shellQuote } from '../protocol/shell-quote.ts';

/** Where the agent's shell stands: the hook has the same environment. */
export interface CommandPlace {
  hive: string;
  agent: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of hivemail's launcher. */
  launcher: string;
}

/** Tells what an agent types to run the command line as itself, as short as its environment allows. */
export function agentCommand({ hive, agent, env, launcher }: CommandPlace): string {
  const words =
    findInPath('hivemail', env['PATH'] ?? '') !== undefined ? ['hivemail'] : ['node', launcher];
  if (env['HIVEMAIL_HIVE'] !== hive) words.push('--hive', hive);
  if (env['HIVEMAIL_AGENT'] !== agent) words.push('--agent', agent);
  return words.map((word) => shellQuote(word)).join(' ');
}
