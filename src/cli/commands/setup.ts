import { join } from 'node:path';
import {
  type AgentId,
  askCodexTrust,
  CLIENT_NAMES,
  type ClientName,
  type CodexTrust,
  DESK,
  type DoorbellMode,
  HivemailError,
  type InstallReport,
  installSetup,
  isClientName,
  type SetupPlace,
  type SetupTarget,
  type ShownSetup,
  showSetups,
  type UninstallReport,
  uninstallSetup,
} from '../../index.ts';
import type { Context } from '../context.ts';

/** What is set up in a client: its hooks, or the server of a mailbox. */
export type Kind = SetupPlace['kind'];

/** Options of `hooks install`, `mcp install` and their `uninstall`. */
export interface SetupOptions {
  scope?: SetupTarget['scope'];
  mode?: DoorbellMode;
  tmux?: boolean;
}

/** What stands behind the command: the client, with the scope `file` its settings, and the options. */
export type SetupArguments = [client: string, file: string | undefined, options: SetupOptions];

const NOUNS: Record<Kind, string> = { hooks: 'hooks', mcp: 'MCP server' };

/** Puts the hooks, or the server, of an agent into the settings of a client. */
export async function install(
  kind: Kind,
  context: Context,
  [client, file, options]: SetupArguments,
): Promise<void> {
  const { name, target } = readTarget(context, [client, file], options);
  const place = placeOf(kind, context, name);
  const { mode, tmux } = options;
  const report = await installSetup(place, target ?? { scope: 'project' }, mode, tmux);
  if (context.json) return context.printJson(report);
  const did = { installed: 'Installed', updated: 'Brought up to date', nothing: 'Already there' };
  const { agent } = place.owner;
  context.print(`${did[report.did]}: ${NOUNS[kind]} of ${agent} for ${name} in ${report.file}`);
  if (kind === 'hooks') for (const line of toldLines(report)) context.print(line);
  for (const note of report.notes) context.print(note);
}

function toldLines({ mode, tmux }: InstallReport): string[] {
  if (!tmux) return [MODES[mode]];
  const keys =
    'Where nothing else wakes an idle session, a line is typed into its tmux pane, if nothing is typed and nothing asked there. (--no-tmux ends that.)';
  return [MODES[mode], mode === 'continue' ? keys : `${keys} Not before mode continue.`];
}

const MODES: Record<DoorbellMode, string> = {
  notify:
    'Mode notify: mail is told with the next tool call or prompt; no turn goes on for it. (--mode continue changes that.)',
  continue:
    'Mode continue: mail also lets an ended turn go on, at most three in a row, and wakes an idle session where the client can.',
};

/** Takes them out again. */
export async function uninstall(
  kind: Kind,
  context: Context,
  [client, file, options]: SetupArguments,
): Promise<void> {
  const { name, target } = readTarget(context, [client, file], options);
  const reports = uninstallSetup(placeOfGone(kind, context, name), target);
  if (context.json) return context.printJson(reports);
  for (const report of reports) context.print(sayUninstalled(report));
}

function sayUninstalled({ file, did }: UninstallReport): string {
  switch (did) {
    case 'restored':
      return `Taken out of ${file}`;
    case 'removed':
      return `Removed ${file}, which was made for it`;
    case 'nothing':
      return `There was nothing in ${file}`;
    case 'kept':
      return `Left ${file} as it is: somebody has changed it. Remove what you do not want by hand.`;
  }
}

/** Shows where they are. */
export async function show(
  kind: Kind,
  context: Context,
  client: string | undefined,
): Promise<void> {
  const names = client === undefined ? CLIENT_NAMES : [requireClient(client)];
  const places = names.map((name) => placeOf(kind, context, name));
  const shown: Shown[] = [];
  for (const place of places) {
    for (const one of showSetups(place)) shown.push({ ...one, ...(await trustOf(place, one)) });
  }
  if (context.json) return context.printJson(shown);
  for (const one of shown) context.print(sayShown(kind, one));
  if (shown.length === 0) {
    context.print(`None is installed. \`hivemail ${kind} install CLIENT --agent ID\` does it.`);
  }
}

/** A setup, and for the hooks of Codex, which it runs only once it is told to, whether it does. */
type Shown = ShownSetup & { trust?: CodexTrust };

async function trustOf(
  { kind, owner, env }: SetupPlace,
  { client, file, state }: ShownSetup,
): Promise<{ trust?: CodexTrust }> {
  const isThere = state === 'as installed' || state === 'older';
  if (kind !== 'hooks' || client !== 'codex' || !isThere) return {};
  return { trust: await askCodexTrust({ owner, file, env }) };
}

const TRUST: Readonly<Record<CodexTrust, string | undefined>> = {
  trusted: undefined,
  untrusted:
    'Codex leaves some of them out: start `codex`, type /hooks, and trust those of hivemail.',
  unread: 'Codex does not read this file: start `codex` in that project, and trust the project.',
  unknown: 'Whether Codex trusts them is not known: look with /hooks in `codex`.',
};

function sayShown(kind: Kind, shown: Shown): string {
  const { client, file, state, mode, problem, installedAt, trust } = shown;
  const since = installedAt.slice(0, 'YYYY-MM-DD'.length);
  const told = kind === 'hooks' ? `  mode ${mode}` : '';
  const said = `${client}  ${state}${told}  since ${since}  ${file}`;
  const older = `It is not as this version installs it: \`hivemail ${kind} install\` again.`;
  const gone = 'Somebody took it out: install again, or uninstall to forget it.';
  const advice = { 'as installed': undefined, older, gone, unreadable: problem }[state];
  const more = [advice, trust && TRUST[trust]].filter((each) => each !== undefined);
  return [said, ...more].join('\n  ');
}

/** The words that name a client and perhaps a file, in either order: `--scope file F claude` reads well, too. */
function readTarget(
  context: Context,
  [first, second]: [string, string | undefined],
  { scope }: SetupOptions,
): { name: ClientName; target: SetupTarget | undefined } {
  const isSwapped = scope === 'file' && !isClientName(first) && isClientName(second);
  const [client, file] = isSwapped ? [second, first] : [first, second];
  const name = requireClient(client);
  if ((scope === 'file') !== (file !== undefined)) {
    const message = 'The scope file, and no other, takes the settings file: --scope file PATH.';
    throw new HivemailError('usage', message);
  }
  if (scope === undefined) return { name, target: undefined };
  return { name, target: file === undefined ? { scope } : { scope, file: context.path(file) } };
}

function requireClient(word: string): ClientName {
  if (isClientName(word)) return word;
  const message = `"${word}" is no client that this can be installed in: ${CLIENT_NAMES.join(', ')}.`;
  throw new HivemailError('usage', message);
}

function placeOf(kind: Kind, context: Context, client: ClientName): SetupPlace {
  const agent = context.agent();
  if (agent === DESK) {
    throw new HivemailError('refused', 'The desk is read by a person, not by a session.');
  }
  return placeAt(kind, context, { client, hive: context.hive.dir, agent });
}

function placeAt(kind: Kind, context: Context, owner: SetupPlace['owner']): SetupPlace {
  const { env, cwd } = context.surface;
  return { kind, owner, root: join(owner.hive, 'agents', owner.agent), env, cwd: cwd() };
}

/** What is for an agent, or a hive, that is gone can still be taken out: both are named then. */
function placeOfGone(kind: Kind, context: Context, client: ClientName): SetupPlace {
  const { hive, agent } = context.options;
  try {
    return placeOf(kind, context, client);
  } catch (error) {
    const isGone = error instanceof HivemailError && error.code.endsWith('not-found');
    if (!isGone || hive === undefined || agent === undefined) throw error;
    return placeAt(kind, context, { client, hive: context.path(hive), agent: agent as AgentId });
  }
}
