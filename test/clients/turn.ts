/** The wire formats that the stub model speaks. */
export type DialectName = 'responses' | 'chat-completions' | 'messages' | 'generate-content';

/** What a session asks its model, the same whatever the wire format. */
export interface Turn {
  dialect: DialectName;
  /** All that the user side said since the model last spoke: prompt, context, text of hooks. */
  userText: string;
  /** Output of the tool call that the model waits for; nothing when it is the user's turn. */
  toolOutput: string | undefined;
  /** Every tool output of the conversation so far, oldest first: its length tells the step of a script. */
  toolOutputs: readonly string[];
  /** Names of the tools that the session offers. */
  tools: readonly string[];
}

/** What the model answers: a shell command to run, a call of any other tool, or plain text. */
export type Decision =
  | { shell: string }
  | { call: string; args: Record<string, unknown> }
  | { text: string };

/** Plays the model: given a turn, decides the answer. What it throws reaches the client as status 400. */
export type Decide = (turn: Turn) => Decision | Promise<Decision>;

/** A tool as a session offers it, reduced to what is needed to call it. */
export interface OfferedTool {
  name: string;
  /** The group it stands in, where the dialect has groups. */
  namespace?: string | undefined;
  /** JSON schema of its arguments. */
  schema: ToolSchema;
}

/** The part of a JSON schema that says how a tool is called. */
export interface ToolSchema {
  properties: Record<string, { type?: unknown; enum?: unknown }>;
  required: readonly string[];
}

/** An answer that names the tool by what the session offers, ready for a dialect to write down. */
export type Reply = { text: string } | { tool: OfferedTool; args: Record<string, unknown> };

const SCRIPTED_COMMAND = /TOOL\{\{([\s\S]*?)\}\}/g;
const SHELL_TOOLS = ['exec_command', 'shell_command', 'shell', 'run_shell_command', 'Bash', 'bash'];

/**
 * The script of a session that was given none: runs the last `TOOL{{command}}` in the user's text,
 * tells what came of it as `DONE …`, and acknowledges anything else as `ACK …`. So a prompt, a mail or
 * the text of a hook can make a real client act, which shows that the model has read it.
 */
export function followText(turn: Turn): Decision {
  const command = [...turn.userText.matchAll(SCRIPTED_COMMAND)].at(-1)?.[1];
  if (command !== undefined) return { shell: command };
  if (turn.toolOutput !== undefined) return { text: `DONE ${turn.toolOutput.slice(0, 200)}` };
  return { text: `ACK ${turn.userText.slice(-80)}` };
}

/**
 * Turns a decision into a reply, choosing the tool among those that the session offers.
 * @throws Error when there is no such tool; it names those there are
 */
export function resolveReply(decision: Decision, tools: readonly OfferedTool[]): Reply {
  if ('text' in decision) return decision;
  const names = tools.map((tool) => tool.name);
  if ('shell' in decision) {
    const tool = tools.find(({ name }) => SHELL_TOOLS.includes(name));
    if (!tool) throw new Error(`The session offers no shell tool, only: ${names.join(', ')}.`);
    return { tool, args: shellArguments(tool.schema, decision.shell) };
  }
  // Clients put the name of its server before the name of an MCP tool.
  const tool =
    tools.find(({ name }) => name === decision.call) ??
    tools.find(({ name }) => name.endsWith(decision.call));
  if (!tool) throw new Error(`The session offers no "${decision.call}": ${names.join(', ')}.`);
  return { tool, args: decision.args };
}

function shellArguments(schema: ToolSchema, command: string): Record<string, unknown> {
  const key = 'cmd' in schema.properties ? 'cmd' : 'command';
  const asList = schema.properties[key]?.type === 'array';
  const args: Record<string, unknown> = { [key]: asList ? ['bash', '-lc', command] : command };
  for (const name of schema.required) args[name] ??= anyValue(schema.properties[name]);
  return args;
}

function anyValue(property: ToolSchema['properties'][string] | undefined): unknown {
  if (Array.isArray(property?.enum)) return property.enum[0];
  if (property?.type === 'boolean') return false;
  if (property?.type === 'number' || property?.type === 'integer') return 0;
  return 'as scripted';
}
