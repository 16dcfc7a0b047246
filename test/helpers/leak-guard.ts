/**
 * Runs around every test (vitest's `setupFiles`) and fails the one that leaves something open:
 * watchers, timers, children, servers, sockets, signal handlers, files open in a temporary folder, and
 * temporary folders that {@link tempDir} does not know. What `beforeAll` opens counts for the file.
 *
 * What was open before the test is no leak of it, so only the test that leaks fails. Closing takes a
 * moment, therefore a leak is what is still there after {@link SETTLE_MS}. Does not suit tests that run
 * concurrently within one file.
 */
import { mkdtempSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { openTimers, realSetTimeout } from './open-timers.ts';
import { openTempDirs, removeTempDirs, removeTree } from './temp-dir.ts';

const SETTLE_MS = 1_000;
const RETRY_MS = 5;

/** What node calls the resources we look for, and what they are to us. */
const RESOURCES: Record<string, string> = {
  FSEventWrap: 'file watcher',
  StatWatcher: 'polling file watcher',
  ProcessWrap: 'child process',
  TCPServerWrap: 'TCP server',
  TCPSocketWrap: 'TCP connection',
  PipeWrap: 'pipe or local server',
  UDPWrap: 'UDP socket',
};
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'];

/** Folders that tools keep for later runs by design, in whatever folder they are given. */
const CACHES = /^(node-compile-cache|v8-compile-cache|tsx-)/;

// Taken now, so that a test with fake timers does not stop the guard.
const realNow = performance.now.bind(performance);

// A folder for the temporary files of this test file alone: what is left in it was left by its tests.
const outerTmp = { TMPDIR: process.env.TMPDIR, TMP: process.env.TMP, TEMP: process.env.TEMP };
const ownTmp = realpathSync(mkdtempSync(join(tmpdir(), 'hm-')));
for (const name of Object.keys(outerTmp)) process.env[name] = ownTmp;

/** Lists what is open at this moment, each kind as often as it is open. */
function openNow(): string[] {
  const resources = process
    .getActiveResourcesInfo()
    .flatMap((type) => (type in RESOURCES ? [`${RESOURCES[type]} (${type})`] : []));
  const handlers = SIGNALS.flatMap((signal) =>
    process.listeners(signal as NodeJS.Signals).map(() => `handler of ${signal}`),
  );
  const known = new Set(openTempDirs());
  const folders = readdirSync(ownTmp)
    .filter((name) => !CACHES.test(name) && !known.has(join(ownTmp, name)))
    .map((name) => `temporary ${name} (make it with tempDir)`);
  return [...resources, ...openTimers(), ...handlers, ...folders, ...openFiles()];
}

/** Lists the files below the own temporary folder that this process holds open; Linux only. */
function openFiles(): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      if (!path.startsWith(`${ownTmp}/`)) return [];
      return [`open file ${path.slice(ownTmp.length + 1).replace(/ \(deleted\)$/, '')}`];
    } catch {
      // The descriptor of this very listing, or one that closed in the meantime.
      return [];
    }
  });
}

/** What is open now and was not before. */
function leakedSince(before: readonly string[]): string[] {
  const rest = [...before];
  return openNow().filter((name) => {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
    return at < 0;
  });
}

const reported: string[] = [];

async function failOnLeaks(before: readonly string[], who: string): Promise<void> {
  const deadline = realNow() + SETTLE_MS;
  let leaked = leakedSince(before);
  while (leaked.length > 0 && realNow() < deadline) {
    await new Promise<void>((resolve) => {
      realSetTimeout(resolve, RETRY_MS);
    });
    leaked = leakedSince(before);
  }
  reported.push(...leaked);
  if (leaked.length > 0) throw new Error(`${who} left open: ${leaked.join(', ')}.`);
}

let beforeFile: string[] = [];

beforeAll(() => {
  beforeFile = openNow();
});

beforeEach(({ onTestFinished, task }) => {
  const before = openNow();
  const folders = openTempDirs().length;
  // Registered before those of the test, so it runs after them and after every `afterEach`.
  onTestFinished(async () => {
    try {
      if (task.result?.state !== 'fail') await failOnLeaks(before, 'The test');
    } finally {
      removeTempDirs(folders);
    }
  });
});

afterAll(async () => {
  try {
    await failOnLeaks([...beforeFile, ...reported], 'The file');
  } finally {
    removeTempDirs(0);
    removeTree(ownTmp);
    for (const [name, value] of Object.entries(outerTmp)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
});
