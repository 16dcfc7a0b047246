import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, type ChildOptions, type ChildResult, runChild, startChild } from './child.ts';
import { onlyLoopback, scrubbedEnvironment } from './environment.ts';
import { installClient, isInstalled, type PinnedClient } from './install.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** The newest that runs on Node 20; its program needs no Node at all. */
const CLAUDE: PinnedClient = {
  name: `@anthropic-ai/claude-code-${process.platform}-${process.arch}`,
  version: '2.1.197',
  script: 'claude',
  isBinary: true,
};

const TIME_LIMIT_MS = 120_000;
const KEY = 'fake-key-of-a-test-00000000';

/**
 * Tells whether tests with the real Claude Code are to run: where it is there already, or was asked for
 * with `HIVEMAIL_TEST_CLAUDE=1`, since its licence is not for everybody to accept by running tests.
 */
export async function claudeWanted(): Promise<boolean> {
  const wanted = process.env.HIVEMAIL_TEST_CLAUDE === '1' || (await isInstalled(CLAUDE));
  if (!wanted) {
    process.stderr.write(
      '\n!!! SKIPPED: tests with the real Claude Code. Set HIVEMAIL_TEST_CLAUDE=1 to run them.\n\n',
    );
  }
  return wanted;
}

/** Installs Claude Code for the tests. @returns path of its program */
export function installClaude(): Promise<string> {
  return installClient(CLAUDE);
}

/** A Claude Code session. */
export interface ClaudeOptions {
  /** HOME, an empty directory or that of an earlier session. */
  home: string;
  cwd: string;
  /** Base address of the stub model. */
  model: string;
  /** What follows the program's name. */
  args: readonly string[];
  /** Variables for the session and the commands it runs. */
  env?: NodeJS.ProcessEnv;
  timeLimitMs?: number;
}

/** Runs one prompt to its end. All tools are allowed; settings are only those of `args`. */
export async function runClaude(prompt: string, options: ClaudeOptions): Promise<ChildResult> {
  const args = ['-p', prompt, ...ALLOWED, ...options.args];
  return await runChild(await childFor({ ...options, args }));
}

/** Starts a session that takes its prompts, one after the other, from {@link say}. */
export async function startClaude(options: ClaudeOptions): Promise<Child> {
  const stream = ['--input-format', 'stream-json', '--output-format', 'stream-json', '--verbose'];
  const args = ['-p', ...stream, ...ALLOWED, ...options.args];
  return await startChild({ ...(await childFor({ ...options, args })), hasInput: true });
}

/** Gives a session of {@link startClaude} something to do. */
export function say(session: Child, prompt: string): void {
  const message = { role: 'user', content: prompt };
  session.write(`${JSON.stringify({ type: 'user', message })}\n`);
}

const ALLOWED = ['--permission-mode', 'bypassPermissions'];

async function childFor(options: ClaudeOptions): Promise<ChildOptions> {
  const { cwd, args, timeLimitMs = TIME_LIMIT_MS } = options;
  const file = await installClaude();
  return {
    ...{ file, cwd, timeLimitMs },
    args: [...args, '--setting-sources', ''],
    env: environmentOf(options),
  };
}

function environmentOf({ home, model, env }: ClaudeOptions): NodeJS.ProcessEnv {
  const TMPDIR = join(home, 'tmp');
  mkdirSync(TMPDIR, { recursive: true });
  return scrubbedEnvironment({
    ...onlyLoopback(model),
    ...{ HOME: home, TMPDIR },
    ANTHROPIC_BASE_URL: model,
    ANTHROPIC_API_KEY: KEY,
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // All tools are allowed to root only where nothing can be broken.
    IS_SANDBOX: '1',
    ...env,
  });
}

/** Starts a session in a terminal of tmux, past the questions that it asks a new user. */
export async function openClaude(options: ClaudeOptions): Promise<Terminal> {
  const { file, args } = await childFor(options);
  const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const approved = { approved: [KEY.slice(-20)], rejected: [] };
  writeFileSync(
    join(options.home, '.claude.json'),
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: approved,
      projects: { [options.cwd]: known },
    }),
  );
  const { home, cwd } = options;
  return openTerminal({ dir: home, cwd, env: environmentOf(options), command: [file, ...args] });
}
