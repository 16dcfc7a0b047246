import { existsSync } from 'node:fs';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { type Child, type ChildResult, runChild, startChild } from './child.ts';
import { onlyLoopback, scrubbedEnvironment } from './environment.ts';
import { installClient } from './install.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const VERSION = '0.171.0';
const PLATFORM = `${process.platform}-${process.arch}`;
const TIME_LIMIT_MS = 60_000;
const STARTING = { timeout: 30_000, interval: 50 };

/** One line of `codex exec --json`, as far as tests look at it. */
export interface CodexEvent {
  type: string;
  /** Of `thread.started`. */
  thread_id?: string;
  item?: {
    type: string;
    /** Of a `command_execution`: what ran, what it printed, how it ended. */
    command?: string;
    aggregated_output?: string;
    exit_code?: number | null;
    /** Of an `agent_message`: what the model said. */
    text?: string;
  };
}

/** How a Codex session ended, and what it told on the way. */
export interface CodexResult extends ChildResult {
  events: readonly CodexEvent[];
}

/** A Codex session to run. */
export interface CodexOptions {
  /** An empty directory, or that of an earlier session: HOME, with CODEX_HOME at `.codex` in it. */
  home: string;
  cwd: string;
  prompt: string;
  /** Id of an earlier session of the same home, to go on with. */
  resume?: string;
  /** Base address of the stub model. */
  model: string;
  /** Its config.toml is there already, from {@link writeCodexConfig} and perhaps more. */
  configured?: true;
  /** Variables for the session and the commands it runs, such as HIVEMAIL_AGENT. */
  env?: NodeJS.ProcessEnv;
  /** After so many milliseconds the session is ended. */
  timeLimitMs?: number;
}

/**
 * Installs Codex for the tests.
 * @returns path of its start script. The native binary is an optional dependency under an alias, which
 *   npm leaves out in silence when it can't get it; naming it makes that an error.
 */
export function installCodex(): Promise<string> {
  return installClient({
    name: '@openai/codex',
    version: VERSION,
    script: 'bin/codex.js',
    companions: [`@openai/codex-${PLATFORM}@npm:@openai/codex@${VERSION}-${PLATFORM}`],
  });
}

/**
 * Runs one prompt in a real Codex against a stub model, with no way to anything else: a home of its
 * own, a key that is none, and an environment without anyone's settings.
 */
export async function runCodex(options: CodexOptions): Promise<CodexResult> {
  const { home, cwd, prompt, resume, model, env = {}, timeLimitMs = TIME_LIMIT_MS } = options;
  const script = await installCodex();
  if (options.configured !== true) await writeCodexConfig(home, model);
  const flags = ['--json', '--skip-git-repo-check', '--dangerously-bypass-hook-trust'];
  const result = await runChild({
    file: process.execPath,
    args: [script, 'exec', ...(resume === undefined ? [] : ['resume', resume]), ...flags, prompt],
    ...{ cwd, timeLimitMs, env: environmentOf({ home, model, env }) },
  });
  return { ...result, events: result.stdout.split('\n').flatMap(parseEvent) };
}

type Surroundings = Pick<CodexOptions, 'home' | 'model' | 'env'>;

function environmentOf({ home, model, env }: Surroundings): NodeJS.ProcessEnv {
  const own = { HOME: home, CODEX_HOME: join(home, '.codex'), STUB_KEY: 'fake' };
  return scrubbedEnvironment({ ...onlyLoopback(model), ...own, ...env });
}

/**
 * Starts a session in a terminal of tmux, in a project that it trusts.
 * @param args - what follows the program's name
 */
export async function openCodex(
  options: Omit<CodexOptions, 'prompt' | 'resume'>,
  args: readonly string[] = [],
): Promise<Terminal> {
  const { home, cwd, model } = options;
  await writeCodexConfig(home, model);
  const trusted = `\n[projects.${JSON.stringify(cwd)}]\ntrust_level = "trusted"\n`;
  await appendFile(join(home, '.codex', 'config.toml'), trusted);
  const command = [
    process.execPath,
    await installCodex(),
    '--dangerously-bypass-hook-trust',
    ...args,
  ];
  return openTerminal({ dir: home, cwd, env: environmentOf(options), command });
}

/** Starts the server that sessions of a home then run in. */
export async function startCodexServer(
  options: Omit<CodexOptions, 'prompt' | 'resume'>,
): Promise<Child> {
  const { home, cwd, model, timeLimitMs = TIME_LIMIT_MS } = options;
  await writeCodexConfig(home, model);
  const server = await startChild({
    file: process.execPath,
    args: [await installCodex(), 'app-server', '--listen', 'unix://'],
    ...{ cwd, timeLimitMs, env: environmentOf(options) },
  });
  const socket = join(home, '.codex', 'app-server-control', 'app-server-control.sock');
  await vi.waitFor(() => expect(existsSync(socket), server.stderr()).toBe(true), STARTING);
  return server;
}

/** Writes what Codex has to be told to ask nothing and to tell nobody; more may be added behind it. */
export async function writeCodexConfig(home: string, model: string): Promise<void> {
  const codexHome = join(home, '.codex');
  await mkdir(codexHome, { recursive: true });
  await writeFile(join(codexHome, 'config.toml'), configFor(model));
}

/** Codex fetches a catalogue of plugins and reports usage unless told not to; a retry would hide a fault. */
function configFor(model: string): string {
  return `model = "stub-model"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false

[model_providers.stub]
name = "stub"
base_url = ${JSON.stringify(`${model}/v1`)}
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
}

function parseEvent(line: string): CodexEvent[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line) as CodexEvent];
  } catch (error) {
    // The last line of a session that was ended may be cut; stdout still has it.
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
