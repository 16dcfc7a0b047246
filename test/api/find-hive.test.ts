import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findAgent, findHive } from '../../src/api/find-hive.ts';
import { initHive } from '../../src/hive/init.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { tempDir } from '../helpers/temp-dir.ts';

async function makeHive(name = 'hive'): Promise<{ dir: string; hive: string }> {
  const dir = tempDir();
  const hive = join(dir, name);
  await initHive({ dir: hive, fs: createNodeFs(), agents: ['god', 'coder'], orchestrator: 'god' });
  return { dir, hive };
}

describe('findHive', () => {
  it('takes the flag before the environment, and that before the surroundings', async () => {
    const { dir, hive } = await makeHive();
    const other = (await makeHive()).hive;
    const env = { HIVEMAIL_HIVE: hive, HIVE_ROOT: other };
    expect(findHive({ flag: other, env, cwd: dir })).toBe(other);
    expect(findHive({ env, cwd: dir })).toBe(hive);
    expect(findHive({ env: { HIVE_ROOT: other }, cwd: hive })).toBe(other);
  });

  it('takes the nearest parent that holds hive.json, else ./hive', async () => {
    const { dir, hive } = await makeHive();
    expect(findHive({ env: {}, cwd: join(hive, 'agents', 'coder', 'inbox') })).toBe(hive);
    expect(findHive({ env: {}, cwd: dir })).toBe(hive);
  });

  it('says how to make or name one where there is none', () => {
    const cwd = tempDir();
    for (const flag of [undefined, 'nowhere']) {
      expect(() => findHive({ flag, env: {}, cwd })).toThrow(
        expect.objectContaining({
          code: 'hive-not-found',
          message: expect.stringContaining('hivemail init'),
        }),
      );
    }
  });
});

describe('findAgent', () => {
  it('takes the flag, HIVEMAIL_AGENT, AGENT_ID, then the directory', async () => {
    const { hive } = await makeHive();
    const cwd = join(hive, 'agents', 'coder');
    expect(findAgent(hive, { flag: 'GOD', env: { HIVEMAIL_AGENT: 'coder' }, cwd })).toBe('god');
    expect(findAgent(hive, { env: { HIVEMAIL_AGENT: 'god', AGENT_ID: 'coder' }, cwd })).toBe('god');
    expect(findAgent(hive, { env: { AGENT_ID: 'god' }, cwd })).toBe('god');
    expect(findAgent(hive, { env: {}, cwd: join(cwd, 'inbox') })).toBe('coder');
  });

  it('passes over an AGENT_ID that a CI system set and the hive does not have', async () => {
    const { hive } = await makeHive();
    const cwd = join(hive, 'agents', 'coder');
    expect(findAgent(hive, { env: { AGENT_ID: '7' }, cwd })).toBe('coder');
  });

  it('knows where it stands through a link to the hive', async () => {
    const { dir, hive } = await makeHive();
    symlinkSync(hive, join(dir, 'link'));
    const cwd = join(hive, 'agents', 'coder');
    expect(findAgent(join(dir, 'link'), { env: {}, cwd })).toBe('coder');
  });

  it('never takes the desk unless it is named, and never in the environment of an agent', async () => {
    const { hive } = await makeHive();
    const desk = join(hive, 'agents', 'human');
    const code = (surroundings: Parameters<typeof findAgent>[1]) => {
      try {
        return findAgent(hive, surroundings);
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code({ flag: 'human', env: {}, cwd: hive })).toBe('human');
    expect(code({ env: {}, cwd: desk })).toBe('usage');
    expect(code({ env: { HIVEMAIL_AGENT: 'human' }, cwd: hive })).toBe('refused');
    expect(code({ flag: 'human', env: { HIVEMAIL_AGENT: 'coder' }, cwd: hive })).toBe('refused');
    expect(code({ flag: 'human', env: { AGENT_ID: 'coder' }, cwd: hive })).toBe('refused');
  });

  it('says which agents there are when none or a wrong one is named', async () => {
    const { hive } = await makeHive();
    mkdirSync(join(hive, 'elsewhere'));
    expect(() => findAgent(hive, { env: {}, cwd: hive })).toThrow(/agent list/);
    expect(() => findAgent(hive, { flag: 'codr', env: {}, cwd: hive })).toThrow(
      expect.objectContaining({ code: 'not-found' }),
    );
  });
});
