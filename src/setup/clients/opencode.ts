import { join } from 'node:path';
import type { Owner } from '../hook-command.ts';
import type { Asked, PlanSetup } from '../plan.ts';
import type { Program } from '../program.ts';

/**
 * Plans the hooks of opencode: a plugin of its own. The file is the same in every version and mode, since
 * what it loads comes with hivemail; a client that runs on after hivemail was removed does so without it.
 */
export const planOpencode: PlanSetup = (asked) => ({
  file: fileOf(asked),
  change: { form: 'file', text: textOf(asked), mark: markOf(asked.owner) },
  notes: ['opencode loads its plugins when it starts: start those anew that run already.'],
});

function fileOf({ scope, file, cwd, env, home }: Asked): string {
  if (file !== undefined) return file;
  return join(scope === 'project' ? join(cwd, '.opencode') : userDir(env, home), NAME);
}

const NAME = join('plugins', 'hivemail.js');

function userDir(env: Asked['env'], home: string): string {
  const { OPENCODE_CONFIG_DIR: own, XDG_CONFIG_HOME: config } = env;
  return own || join(config || join(home, '.config'), 'opencode');
}

/** Names the owner, in a comment: of one line, whatever the path of the hive is. */
function markOf({ hive, agent }: Owner): string {
  return `Hivemail in opencode: --hive ${literal(hive)} --agent ${agent}`;
}

/** Writes a value as JavaScript on one line; these two characters end a line, but not in JSON. */
function literal(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (mark) =>
    mark === '\u2028' ? '\\u2028' : '\\u2029',
  );
}

function textOf({ owner, program }: { owner: Owner; program: Program }): string {
  const { node, launcher } = program;
  const command = [node, launcher, 'hook', 'opencode'];
  const flags = ['--hive', owner.hive, '--agent', owner.agent];
  return `// ${markOf(owner)}
// Made by \`hivemail hooks install opencode\`, taken away by \`hivemail hooks uninstall opencode\`.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const hook = {
  command: ${literal(command)},
  flags: ${literal(flags)},
};

export const Hivemail = async (input) => {
  try {
    const launcher = realpathSync(hook.command[1]);
    const plugin = join(dirname(launcher), '..', 'doorbell', 'opencode', 'plugin.js');
    const { connectOpencode } = await import(pathToFileURL(plugin).href);
    return connectOpencode(input, hook);
  } catch {
    // Hivemail has been removed or moved. Install the hooks again, or remove this file.
    return {};
  }
};
`;
}
