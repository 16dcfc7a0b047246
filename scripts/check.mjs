/** Runs every gate (each `check:…` script of package.json), also after one has failed. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
const gates = Object.keys(scripts).filter((name) => name.startsWith('check:'));

const failed = [];
for (const gate of gates) {
  console.log(`\n== ${gate}`);
  const startedMs = performance.now();
  const { status } = spawnSync('npm', ['run', '--silent', gate], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  console.log(`${gate}: ${status === 0 ? 'ok' : 'FAILED'} (${seconds} s)`);
  if (status !== 0) failed.push(gate);
}

console.log(
  failed.length === 0
    ? `\nAll ${gates.length} gates passed.`
    : `\nFAILED: ${failed.join(', ')}. Run one with \`npm run ${failed[0]}\`.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
