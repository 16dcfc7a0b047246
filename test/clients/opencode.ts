import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { startChild } from './child.ts';
import { onlyLoopback, scrubbedEnvironment } from './environment.ts';
import { installClient } from './install.ts';

const VERSION = '1.18.33';
const PLATFORM = `${process.platform}-${process.arch}`;
const TIME_LIMIT_MS = 240_000;
const START_LIMIT_MS = 60_000;

/** An opencode server to start. */
export interface OpencodeOptions {
  /** An empty directory: HOME. */
  home: string;
  /** The project. */
  cwd: string;
  /** Base address of the stub model. */
  model: string;
  /** What a session may do without asking; all when left out. */
  permission?: Record<string, 'ask' | 'allow' | 'deny'>;
  /** Variables for the sessions and the commands they run. */
  env?: NodeJS.ProcessEnv;
}

/** A running opencode, spoken with as its own terminal interface does. */
export interface Opencode extends AsyncDisposable {
  pid: number;
  /** Begins a session. @returns its id */
  createSession(fields?: object): Promise<string>;
  /** Prompts a session, and waits for the end of the turn. */
  prompt(session: string, text: string, fields?: object): Promise<void>;
  /** Sends any request. @returns the body of the answer as JSON; nothing for an empty one */
  request(method: string, path: string, body?: object): Promise<unknown>;
  /** Ends it as a machine that loses power does. */
  kill(): void;
  stderr(): string;
}

/** Installs opencode for the tests. @returns path of its binary */
export function installOpencode(): Promise<string> {
  return installClient({
    name: `opencode-${PLATFORM}`,
    version: VERSION,
    script: 'bin/opencode',
    isBinary: true,
  });
}

/** Starts a real opencode server against a stub model, with no way to anything else. */
export async function startOpencode(options: OpencodeOptions): Promise<Opencode> {
  const { home, cwd, model, permission = {}, env = {} } = options;
  const file = await installOpencode();
  writeConfig(home, { model, permission });
  const child = await startChild({
    ...{ file, cwd, timeLimitMs: TIME_LIMIT_MS },
    args: ['serve', '--hostname', '127.0.0.1', '--port', '0'],
    env: scrubbedEnvironment({
      ...onlyLoopback(model),
      HOME: home,
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      ...env,
    }),
  });
  const url = await addressOf(child);
  const request = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(url + path, { method, headers, ...sent });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    ...{ pid: child.pid, request, stderr: child.stderr, kill: () => child.signal('SIGKILL') },
    createSession: async (fields = {}) =>
      ((await request('POST', '/session', fields)) as { id: string }).id,
    prompt: async (session, text, fields = {}) => {
      const body = { parts: [{ type: 'text', text }], ...fields };
      await request('POST', `/session/${session}/message`, body);
    },
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

/** Waits until the server says where it listens. */
async function addressOf(child: { stdout(): string; stderr(): string }): Promise<string> {
  return await vi.waitFor(
    () => {
      const address = /listening on (http:\S+)/.exec(child.stdout())?.[1];
      if (address !== undefined) return address;
      throw new Error(`opencode does not start: ${child.stdout()}${child.stderr()}`);
    },
    { timeout: START_LIMIT_MS, interval: 100 },
  );
}

/**
 * Writes the user's settings. With a lock file that names its own package opencode does not try to
 * install that, which takes 100 s where there is no way to the registry.
 */
function writeConfig(home: string, { model, permission }: { model: string; permission: object }) {
  const config = {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    model: 'stub/stub-model',
    small_model: 'stub/stub-model',
    permission,
    provider: {
      stub: {
        npm: '@ai-sdk/openai-compatible',
        name: 'stub',
        options: { baseURL: `${model}/v1`, apiKey: 'fake' },
        models: { 'stub-model': { name: 'stub', tool_call: true } },
      },
    },
  };
  const dir = join(home, '.config', 'opencode');
  keepFromInstalling(dir);
  writeFileSync(join(dir, 'opencode.json'), JSON.stringify(config));
}

/** Makes a directory of settings look as if opencode had installed its own package there. */
export function keepFromInstalling(dir: string): void {
  mkdirSync(join(dir, 'node_modules'), { recursive: true });
  const dependencies = { '@opencode-ai/plugin': VERSION };
  const lock = { name: 'settings', lockfileVersion: 3, packages: { '': { dependencies } } };
  writeFileSync(join(dir, 'package-lock.json'), JSON.stringify(lock));
}
