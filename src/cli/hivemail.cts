#!/usr/bin/env node
/**
 * Starts the command line. CommonJS and without imports, so that an old Node gets a sentence instead of
 * a syntax error, and so that what must be set before anything is loaded is set in time.
 */

const NEEDED: readonly [major: number, minor: number] = [20, 19];

function isOldNode(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1]);
}

/** A client starts `mcp --hive DIR --agent ID` with every session; anything else is for a person. */
function servesAtOnce([command, ...words]: readonly string[]): boolean {
  const isOption = (word: string): boolean => word === '--hive' || word === '--agent';
  const isPair = (word: string, at: number): boolean => isOption(word) === (at % 2 === 0);
  return command === 'mcp' && words.length % 2 === 0 && words.every(isPair);
}

if (isOldNode()) {
  console.error(
    `hivemail: Hivemail needs Node ${NEEDED.join('.')} or newer; this is ${process.version}. Install it from https://nodejs.org and try again.`,
  );
  process.exitCode = 1;
} else if (process.argv[2] === 'hook') {
  process.umask(0o077);
  require('./hook.cjs');
} else {
  // The router syncs many files at once, each on a thread of this pool; libuv reads its size only once.
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  // Left to itself the heap grows to several times what is in use before it is swept: a router that had
  // routed 25 000 letters held 200 MB, with this 140, of which 50 are in use. No limit: nothing ends at it.
  const v8 = process.getBuiltinModule('node:v8');
  v8.setFlagsFromString('--heap-growing-percent=25');
  // The part for what is new stays at the size it begins with instead of growing to 16 times that, which
  // a router that stays up for weeks never gives back. Commands that end soon start faster as they are.
  if (process.argv.includes('up')) v8.setFlagsFromString('--semi-space-growth-factor=1');
  // Nothing in a hive is for other users of the machine.
  process.umask(0o077);
  void (servesAtOnce(process.argv.slice(2)) ? import('./mcp.ts') : import('./main.ts'));
}
