/**
 * A stand-in for a client in a terminal: a line of input behind a prompt. Notes every key in one file, and
 * every line that was sent in another.
 *
 * `node repl.mjs DIR [deaf-once | deaf | menu | spinner]`
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const [dir = '.', how = ''] = process.argv.slice(2);
/** @param {string} file @param {string} text */
const note = (file, text) => appendFileSync(join(dir, file), text);
let line = '';
let deaf = { 'deaf-once': 1, deaf: Number.POSITIVE_INFINITY }[how] ?? 0;
let turns = 0;

function draw() {
  const prompt = how === 'menu' ? '❯ 1. Yes, allow it' : `> ${line}`;
  process.stdout.write(`\r\x1b[K${prompt}${how === 'menu' ? '\x1b[16D' : ''}`);
}

process.stdin.setRawMode(true).setEncoding('utf8');
process.stdin.on('data', (keys) => {
  note('keys', String(keys));
  for (const key of String(keys)) {
    if (key !== '\r') line += key;
    else if (deaf > 0) deaf -= 1;
    else if (line !== '') {
      note('sent', `${line}\n`);
      process.stdout.write('\r\n* Working\r\n');
      line = '';
    }
  }
  draw();
});
if (how === 'spinner') {
  setInterval(() => {
    turns += 1;
    process.stdout.write(`\x1b[s\x1b[1;60H${turns}\x1b[u`);
  }, 20);
}
process.stdout.write('\x1b[5;1H');
draw();
