import { accessSync, constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT, run, TOOL_MS } from './scratch-project.ts';

/** Lists the commands of the README's shell blocks, without prompts and comments. */
function commandsOfReadme(): string[] {
  const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```(?:sh|bash|shell|console)\n(.*?)^```/gms)];
  return blocks
    .flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
    .map((line) =>
      line
        .replace(/^\$ /, '')
        .replace(/(^|\s)#.*$/, '')
        .trim(),
    )
    .filter((line) => line !== '');
}

/** Lists what stands first behind a word in the commands, each once. */
function after(pattern: RegExp): string[] {
  const found = commandsOfReadme().flatMap((line) => [...line.matchAll(pattern)]);
  return [...new Set(found.map((match) => match[1] ?? ''))];
}

describe('the README', { timeout: TOOL_MS }, () => {
  it('shows the two commands', () => {
    expect(commandsOfReadme()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^\.\/scripts\/start\b/),
        expect.stringMatching(/^\.\/scripts\/test\b/),
      ]),
    );
  });

  it('names only scripts that exist and can be executed', () => {
    for (const script of after(/(?:^|\s)(\.\/[\w./-]+)/g).filter((path) => path !== './hive')) {
      expect(() => accessSync(join(PROJECT, script), constants.X_OK), script).not.toThrow();
    }
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    for (const name of after(/\bnpm run ([\w:-]+)/g)) expect(scripts).toHaveProperty([name]);
  });

  it('names only commands that hivemail has', () => {
    const cli = join(PROJECT, 'dist/cli/hivemail.cjs');
    for (const command of after(/(?:^|&& |\| |; )(?:npx )?hivemail ([a-z]+)/g)) {
      const { status, output } = run(PROJECT, process.execPath, cli, command, '--help');
      expect({ command, status }, output).toEqual({ command, status: 0 });
    }
  });
});
