import { join } from 'node:path';
import type { Asked, Plan, PlanSetup } from '../plan.ts';
import { isServer, ownsServerOf } from '../server-command.ts';

/** Under which name clients know the server; some put it before the names of its tools. */
const NAME = 'hivemail';

/** Plans the server in Claude Code: `mcpServers` of `.mcp.json`, or of the person's own settings. */
export const planClaudeServer: PlanSetup = (asked) => {
  const { file, scope, cwd, home, env } = asked;
  const own = join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json');
  const path = file ?? (scope === 'project' ? join(cwd, '.mcp.json') : own);
  return {
    file: path,
    ...entry(asked, ['mcpServers', NAME], commandAndArgs(asked)),
    notes: [
      ...(scope === 'project'
        ? ['Claude Code asks once whether the servers of this project may be used: say yes.']
        : []),
      ...(scope === 'file' ? [`Start it with: claude --mcp-config ${path}`] : []),
    ],
  };
};

/** Plans the server in Gemini CLI: `mcpServers` of its settings. */
export const planGeminiServer: PlanSetup = (asked) => {
  const { file, scope, cwd, home } = asked;
  const dir = scope === 'project' ? cwd : home;
  return {
    file: file ?? join(dir, '.gemini', 'settings.json'),
    ...entry(asked, ['mcpServers', NAME], commandAndArgs(asked)),
    notes: [],
  };
};

/** Plans the server in opencode: `mcp` of its configuration. */
export const planOpencodeServer: PlanSetup = (asked) => {
  const { file, scope, cwd, home, env } = asked;
  const dir =
    scope === 'project' ? cwd : join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'opencode');
  const value = { type: 'local', command: asked.server, enabled: true };
  return {
    file: file ?? join(dir, 'opencode.json'),
    ...entry(asked, ['mcp', NAME], value),
    notes: [],
  };
};

/** Plans the server in Codex: a table at the end of config.toml. */
export const planCodexServer: PlanSetup = (asked) => {
  const { file, scope, cwd, home, env } = asked;
  const dir = scope === 'project' ? join(cwd, '.codex') : env['CODEX_HOME'] || join(home, '.codex');
  const { agent, hive } = asked.owner;
  const { command, args } = commandAndArgs(asked);
  // A string of JSON is a string of TOML.
  const [commandText, argsText] = [JSON.stringify(command), JSON.stringify(args)];
  return {
    file: file ?? join(dir, 'config.toml'),
    change: {
      form: 'block',
      lines: [
        `# The mailbox of ${agent} in ${JSON.stringify(hive)}, from hivemail mcp install.`,
        `[mcp_servers.${NAME}]`,
        `command = ${commandText}`,
        `args = ${argsText}`,
      ],
      unless: /^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*"?hivemail"?[ \t]*\]/m,
    },
    notes:
      scope === 'project' ? ['Codex reads the settings of a project only once it is trusted.'] : [],
  };
};

function commandAndArgs({ server: [command, ...args] }: Asked): {
  command: string;
  args: readonly string[];
} {
  return { command, args };
}

function entry(asked: Asked, property: readonly string[], value: object): Pick<Plan, 'change'> {
  const owns = ownsServerOf(asked.owner);
  return { change: { form: 'entries', entries: [{ property, value }], owns, isOurs: isServer } };
}
