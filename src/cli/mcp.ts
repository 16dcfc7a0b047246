/**
 * `hivemail mcp`: what clients start with every session. An entry of its own that the build makes into one
 * file, so that a session does not wait for the rest of the command line.
 */
import { ERRORS, escapeLine, findAgent, findHive, HivemailError, openHive } from '../index.ts';
import { serve } from './commands/mcp.ts';

/** Serves the mailbox that the words behind `mcp` name; the launcher has let only these two options pass. */
async function main(words: readonly string[]): Promise<void> {
  const valueOf = (option: string): string | undefined => {
    const at = words.lastIndexOf(option);
    return at === -1 ? undefined : words[at + 1];
  };
  const { env } = process;
  const cwd = process.cwd();
  const dir = findHive({ flag: valueOf('--hive'), env, cwd });
  const agent = findAgent(dir, { flag: valueOf('--agent'), env, cwd });
  await serve({ hive: openHive(dir), agent }, tell);
}

/** Standard output belongs to the protocol. */
function tell(message: string): void {
  process.stderr.write(`hivemail mcp: ${escapeLine(message)}\n`);
}

try {
  await main(process.argv.slice(3));
} catch (error) {
  if (!(error instanceof HivemailError)) throw error;
  tell(error.message);
  process.exitCode = ERRORS[error.code].exitCode;
}
