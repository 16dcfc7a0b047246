import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemCode } from '../protocol/errors.ts';
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
  const words = isInPath('hivemail', env) ? ['hivemail'] : ['node', launcher];
  if (env['HIVEMAIL_HIVE'] !== hive) words.push('--hive', hive);
  if (env['HIVEMAIL_AGENT'] !== agent) words.push('--agent', agent);
  return words.map((word) => shellQuote(word)).join(' ');
}

function isInPath(name: string, env: CommandPlace['env']): boolean {
  const dirs = (env['PATH'] ?? '').split(delimiter).filter((dir) => dir !== '');
  return dirs.some((dir) => {
    try {
      accessSync(join(dir, name), constants.X_OK);
      return true;
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      return false;
    }
  });
}
