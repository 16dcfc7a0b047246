/**
 * The built program, loaded and waiting: runs a command line for each line of JSON on descriptor 3, and
 * answers there. So strace can be put on it when only the command is still to come.
 *
 * Usage: node held-program.mjs DIST, with descriptor 3 a socket
 */
import { readdirSync, readSync, writeSync } from 'node:fs';

const COMMANDS = 3;
const MOST_BYTES = 64 * 1024;

/** @param {string} path */
const load = (path) => import(`${process.argv[2]}/${path}`);

// As hivemail.cjs does.
process.umask(0o077);
const [{ run }, { processSurface }] = [await load('cli/run.js'), await load('cli/surface.js')];
for (const part of ['context', 'commands/up', 'commands/agent-change'])
  await load(`cli/${part}.js`);
const surface = processSurface();

/** @param {object} answer */
const tell = (answer) => writeSync(COMMANDS, `${JSON.stringify(answer)}\n`);

tell({ threads: readdirSync('/proc/self/task').map(Number) });
const line = Buffer.alloc(MOST_BYTES);
for (let size = readSync(COMMANDS, line); size > 0; size = readSync(COMMANDS, line)) {
  tell({ exitCode: await run(JSON.parse(line.toString('utf8', 0, size)), surface) });
}
