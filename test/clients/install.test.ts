import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { installClient } from './install.ts';

let dir: string;
let cache: string;

beforeEach(() => {
  dir = tempDir();
  cache = join(dir, 'cache');
  vi.stubEnv('HIVEMAIL_TEST_CACHE', cache);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

/** Packs a package whose script prints a word, so that npm can install it without a registry. */
function packSample(script: string) {
  const manifest = { name: 'sample', version: '1.2.3', type: 'commonjs' };
  writeFileSync(join(dir, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(dir, 'cli.js'), script);
  execFileSync('npm', ['pack', '--silent'], { cwd: dir });
  const tarball = join(dir, 'sample-1.2.3.tgz');
  return { tarball, client: { name: 'sample', version: `file:${tarball}`, script: 'cli.js' } };
}

describe('installClient', { timeout: 60_000 }, () => {
  it('installs a client once and finds it there the next time', async () => {
    const { tarball, client } = packSample('console.log("1.2.3")');
    const script = await installClient(client);
    rmSync(tarball);
    expect(await installClient(client)).toBe(script);
    expect(execFileSync(process.execPath, [script]).toString()).toBe('1.2.3\n');
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it('lets two runs install the same client at the same time', async () => {
    const { client } = packSample('console.log("1.2.3")');
    const [one, other] = await Promise.all([installClient(client), installClient(client)]);
    expect(one).toBe(other);
    expect(readdirSync(cache)).toHaveLength(1);
  });

  it('says what npm said when it can not install, and leaves nothing behind', async () => {
    const client = { name: 'sample', version: `file:${dir}/missing.tgz`, script: 'cli.js' };
    await expect(installClient(client)).rejects.toThrow(
      /npm could not install sample@[^]*ENOENT[^]*HIVEMAIL_TEST_CACHE/,
    );
    expect(readdirSync(cache)).toEqual([]);
  });

  it('keeps no client that does not start', async () => {
    const { client } = packSample('throw new Error("no binary for this machine")');
    await expect(installClient(client)).rejects.toThrow(
      /does not start[^]*no binary for this machine/,
    );
    expect(readdirSync(cache)).toEqual([]);
  });
});
