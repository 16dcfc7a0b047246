// needs: git
/** The files for systemd and launchd: whole, and what they start is a router that ends when it is told to. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startChild } from '../clients/child.ts';
import { HIVEMAIL, makePlace, rowsOf } from '../e2e/built.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { PROJECT } from './scratch-project.ts';

const SYSTEMD = join(PROJECT, 'scripts/hivemail.service');
const LAUNCHD = join(PROJECT, 'scripts/hivemail.plist');

/** Reads the settings of a unit; a name may stand there several times. */
function settingsOf(unit: string): [name: string, value: string][] {
  return [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
}

/** Reads the strings of a property list's `ProgramArguments`. */
function argumentsOf(plist: string): string[] {
  const [, list = ''] = /<key>ProgramArguments<\/key>\s*<array>(.*?)<\/array>/s.exec(plist) ?? [];
  return [...list.matchAll(/<string>(.*?)<\/string>/gs)].map(([, text = '']) =>
    text.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
  );
}

/** The elements that are not closed where they should be. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  const body = xml.replaceAll(/<!--.*?-->|<[?!][^>]*>/gs, '');
  for (const [, end, name = '', empty] of body.matchAll(/<(\/?)(\w+)[^>]*?(\/?)>/g)) {
    if (empty === '/') continue;
    if (end === '') open.push(name);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
}

/** Starts a service as its system does, in a home directory with a hive, and ends it. */
async function serve(
  argv: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<number | null> {
  const home = tempDir();
  const place = await makePlace(home, 'planner,coder');
  const bin = join(home, 'bin');
  mkdirSync(bin);
  mkdirSync(join(home, 'Library/Logs'), { recursive: true });
  const program = `#!/bin/sh\nexec "${process.execPath}" "${HIVEMAIL}" "$@"\n`;
  writeFileSync(join(bin, 'hivemail'), program, { mode: 0o755 });
  const inHome = Object.entries(more).map(([name, value]) => [name, value?.replaceAll('%h', home)]);
  await using router = await startChild({
    file: argv[0] as string,
    args: argv.slice(1).map((part) => part.replaceAll('%h', home)),
    cwd: '/',
    env: { ...place.env, ...Object.fromEntries(inHome), PATH: `${bin}:${place.env['PATH']}` },
    timeLimitMs: 60_000,
  });
  const isUp = () => expect(rowsOf(place).map(({ code }) => code)).toContain('start');
  await vi.waitFor(isUp, { timeout: 30_000, interval: 50 });
  router.signal('SIGTERM');
  const { exitCode } = await router.result();
  expect(rowsOf(place).at(-1)).toMatchObject({ kind: 'router', code: 'stop' });
  return exitCode;
}

describe('the unit for systemd', { timeout: 90_000 }, () => {
  const unit = readFileSync(SYSTEMD, 'utf8');

  it('starts a router and ends it cleanly', async () => {
    const settings = settingsOf(unit);
    const [, command = ''] = settings.find(([name]) => name === 'ExecStart') ?? [];
    const environment = settings
      .filter(([name]) => name === 'Environment')
      .map(([, value]) => value.split('=') as [string, string]);
    expect(command).toMatch(/^\//);
    expect(await serve(command.split(' '), Object.fromEntries(environment))).toBe(0);
  });

  it.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)('is one to systemd', () => {
    const verify = (file: string): string[] => {
      const env = { ...process.env, XDG_RUNTIME_DIR: tempDir() };
      const args = ['--user', 'verify', file];
      const { status, stderr } = spawnSync('systemd-analyze', args, { env, encoding: 'utf8' });
      expect(status, stderr).toBe(0);
      return stderr.split('\n').filter((line) => line.includes('hivemail.service'));
    };
    expect(verify(SYSTEMD)).toEqual([]);
    const wrong = join(tempDir(), 'hivemail.service');
    writeFileSync(wrong, unit.replace('RestartSec=', 'RestartSeconds='));
    expect(verify(wrong)).not.toEqual([]);
  });
});

describe('the property list for launchd', { timeout: 90_000 }, () => {
  const plist = readFileSync(LAUNCHD, 'utf8');

  it('starts a router and ends it cleanly', async () => {
    expect(await serve(argumentsOf(plist))).toBe(0);
  });

  it('is whole', () => {
    expect(unbalanced(plist)).toEqual([]);
    expect(unbalanced(plist.replace('</array>', ''))).not.toEqual([]);
    if (spawnSync('plutil', ['-help']).error !== undefined) return;
    expect(spawnSync('plutil', ['-lint', LAUNCHD]).status).toBe(0);
  });
});
