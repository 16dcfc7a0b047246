import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ChildResult, runChild } from './child.ts';

/** A client at the one version that the tests are written for. */
export interface PinnedClient {
  /** Package name in the npm registry. */
  name: string;
  version: string;
  /** Path of its start script inside the package, or of the program that it is. */
  script: string;
  /** It is a program of its own, not a script for `node`. */
  isBinary?: boolean;
  /** Specs of further packages that must come with it. */
  companions?: readonly string[];
}

const INSTALL_LIMIT_MS = 8 * 60_000;
const TRIAL_LIMIT_MS = 30_000;

/**
 * Installs a client by the user's own npm, once per machine: into `$HIVEMAIL_TEST_CACHE`, else
 * `~/.cache/hivemail-test`, out of the package since it is none of its dependencies. It appears there
 * by a rename, so what is there is whole and two test runs can't mix. Scripts of packages do not run.
 * @returns absolute path of the client's start script, for `node` unless it is a binary
 * @throws Error saying what npm or the client's own `--version` said, and what to do
 */
export async function installClient(client: PinnedClient): Promise<string> {
  const cache = cacheDir();
  const home = homeOf(client, cache);
  if (await exists(home)) await tryOut(client, home);
  else await installInto(home, client, cache);
  return scriptIn(home, client);
}

/** Tells whether a client is installed already. */
export async function isInstalled(client: PinnedClient): Promise<boolean> {
  return await exists(homeOf(client, cacheDir()));
}

function cacheDir(): string {
  return process.env.HIVEMAIL_TEST_CACHE ?? join(homedir(), '.cache', 'hivemail-test');
}

function homeOf({ name, version }: PinnedClient, cache: string): string {
  return join(cache, `${name}@${version}`.replace(/[^\w@.-]/g, '+'));
}

async function installInto(home: string, client: PinnedClient, cache: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const staging = await mkdtemp(join(cache, '.installing-'));
  try {
    await npmInstall(client, staging);
    await tryOut(client, staging);
    await renameUnlessThere(staging, home);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function scriptIn(home: string, { name, script }: PinnedClient): string {
  return join(home, 'node_modules', name, script);
}

async function npmInstall(client: PinnedClient, prefix: string): Promise<void> {
  const spec = `${client.name}@${client.version}`;
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--include=optional'];
  const windows = process.platform === 'win32';
  const npm = windows ? ['cmd.exe', '/c', 'npm.cmd'] : ['npm'];
  const [file = 'npm', ...before] = npm;
  const result = await runChild({
    file,
    args: [...before, 'install', '--prefix', prefix, ...flags, spec, ...(client.companions ?? [])],
    cwd: prefix,
    env: process.env,
    timeLimitMs: INSTALL_LIMIT_MS,
  });
  if (result.exitCode === 0) return;
  throw new Error(
    `npm could not install ${spec} for the tests: ${ending(result)}\n` +
      'Let npm reach its registry, or point HIVEMAIL_TEST_CACHE at a directory that has it.',
  );
}

/** Shows that the client really starts: an optional binary may be missing, or made for another machine. */
async function tryOut(client: PinnedClient, home: string): Promise<void> {
  const script = scriptIn(home, client);
  const [file = '', ...args] = client.isBinary ? [script] : [process.execPath, script];
  const result = await runChild({
    file,
    args: [...args, '--version'],
    cwd: home,
    // What it unpacks at its start is the same each time.
    env: { ...process.env, TMPDIR: home },
    timeLimitMs: TRIAL_LIMIT_MS,
  });
  if (result.exitCode === 0) return;
  throw new Error(
    `${client.name}@${client.version} in ${home} does not start: ${ending(result)}\n` +
      'Remove that directory, so that the next run installs it anew.',
  );
}

function ending({ exitCode, signal, stderr, timedOut }: ChildResult): string {
  const how = timedOut ? 'it took too long' : `it ended with ${exitCode ?? signal}`;
  return `${how}. ${stderr.trim().slice(-1_000)}`;
}

/** Renames a directory into place; when another run was faster, its result is as good. */
async function renameUnlessThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (!(await exists(to))) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
