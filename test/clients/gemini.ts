import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ChildResult, runChild } from './child.ts';
import { onlyLoopback, scrubbedEnvironment } from './environment.ts';
import { installClient } from './install.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const VERSION = '0.61.0';
const TIME_LIMIT_MS = 150_000;

/** A Gemini CLI session to run. */
export interface GeminiOptions {
  /** An empty directory, or that of an earlier session: HOME, with settings in `.gemini`. */
  home: string;
  cwd: string;
  prompt: string;
  /** Go on with the last session of the same home and project. */
  resume?: boolean;
  /** Base address of the stub model. */
  model: string;
  /** Variables for the session and the commands it runs, such as HIVEMAIL_AGENT. */
  env?: NodeJS.ProcessEnv;
}

/** Installs Gemini CLI for the tests. @returns path of its start script */
export function installGemini(): Promise<string> {
  return installClient({
    name: '@google/gemini-cli',
    version: VERSION,
    script: 'bundle/gemini.js',
  });
}

/** What Gemini CLI has to be told to ask nothing and to tell nobody. */
export const GEMINI_SETTINGS = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

const FLAGS = ['-y', '--skip-trust', '-m', 'gemini-2.5-flash'];

/**
 * Runs one prompt in a real Gemini CLI against a stub model, with no way to anything else: a home of its
 * own, a key that is none, and an environment without anyone's settings.
 */
export async function runGemini(options: GeminiOptions): Promise<ChildResult> {
  const { cwd, prompt, resume = false } = options;
  const script = await installGemini();
  await writeSettings(options);
  return await runChild({
    file: process.execPath,
    args: [script, ...FLAGS, ...(resume ? ['--resume', 'latest'] : []), '-p', prompt],
    ...{ cwd, env: environmentOf(options), timeLimitMs: TIME_LIMIT_MS },
  });
}

/** Starts a session in a terminal of tmux. */
export async function openGemini(
  options: Omit<GeminiOptions, 'prompt' | 'resume'>,
): Promise<Terminal> {
  const { home, cwd } = options;
  const command = [process.execPath, await installGemini(), ...FLAGS];
  await writeSettings(options);
  return openTerminal({ dir: home, cwd, env: environmentOf(options), command });
}

async function writeSettings({ home }: Pick<GeminiOptions, 'home'>): Promise<void> {
  await mkdir(join(home, '.gemini'), { recursive: true });
  const settings = join(home, '.gemini', 'settings.json');
  if (!existsSync(settings)) await writeFile(settings, JSON.stringify(GEMINI_SETTINGS));
}

function environmentOf({
  home,
  model,
  env,
}: Pick<GeminiOptions, 'home' | 'model' | 'env'>): NodeJS.ProcessEnv {
  return scrubbedEnvironment({
    ...onlyLoopback(model),
    HOME: home,
    GEMINI_API_KEY: 'fake',
    GOOGLE_GEMINI_BASE_URL: model,
    // It would start itself a second time for the sake of a larger heap.
    GEMINI_CLI_NO_RELAUNCH: 'true',
    ...env,
  });
}
