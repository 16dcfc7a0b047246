import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { initHive, refreshProtocol, TEMPLATE_DIR } from '../../src/hive/init.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { readRegistry } from '../../src/hive/registry.ts';
import { defaultSettings, parseSettings } from '../../src/hive/settings.ts';
import { isShippedProtocol } from '../../src/hive/shipped-protocol.ts';
import { examineLetter } from '../../src/letter/examine.ts';
import { parseLetter } from '../../src/letter/parse.ts';
import { ACTS } from '../../src/protocol/acts.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const fs = createNodeFs();
const template = (name: string) => readFileSync(join(TEMPLATE_DIR, name), 'utf8');

function make(dir: string, agents = ['god', 'coder'], orchestrator: string | undefined = 'god') {
  return initHive({ dir, fs, agents, orchestrator });
}

describe('initHive', () => {
  it('makes a whole hive, private to its owner', async () => {
    const dir = join(tempDir(), 'deep', 'hive');
    const result = await make(dir);
    expect(result).toMatchObject({ created: true, agents: ['god', 'coder'], notes: [] });
    for (const name of ['hive.json', 'PROTOCOL.md', 'registry.json', 'board.md', 'tasks.json']) {
      expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
    }
    for (const id of ['god', 'coder', 'human']) {
      expect(readdirSync(join(dir, 'agents', id)).sort()).toEqual(
        id === 'human' ? ['inbox', 'outbox'] : ['identity.md', 'inbox', 'memory.md', 'outbox'],
      );
      expect(statSync(join(dir, 'agents', id, 'outbox', '.sent')).mode & 0o777).toBe(0o700);
      expect(statSync(join(dir, 'agents', id, 'inbox', '.done')).isDirectory()).toBe(true);
    }
    expect(readRegistry(fs, layoutOf(dir).registry).godId).toBe('god');
  });

  it('changes nothing of an existing hive, and completes what is missing', async () => {
    const dir = join(tempDir(), 'hive');
    await make(dir);
    writeFileSync(join(dir, 'board.md'), 'ours');
    writeFileSync(join(dir, 'agents/coder/memory.md'), 'mine');
    const { unlinkSync } = await import('node:fs');
    unlinkSync(join(dir, 'tasks.json'));
    const again = await make(dir, ['x', 'y'], undefined);
    expect(again).toMatchObject({ created: false, agents: ['god', 'coder'] });
    expect(readFileSync(join(dir, 'board.md'), 'utf8')).toBe('ours');
    expect(readFileSync(join(dir, 'agents/coder/memory.md'), 'utf8')).toBe('mine');
    expect(readFileSync(join(dir, 'tasks.json'), 'utf8')).toBe(template('tasks.json'));
  });

  it('refuses a directory that holds something else, and says where to make one', async () => {
    const dir = tempDir();
    mkdirSync(join(dir, '.git'));
    await expect(make(dir)).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('hivemail init'),
    });
    expect(readdirSync(dir)).toEqual(['.git']);
  });

  it('refuses bad ids and an orchestrator that is no agent before it makes anything', async () => {
    const dir = join(tempDir(), 'hive');
    await expect(make(dir, ['Bad Id'])).rejects.toMatchObject({ code: 'usage' });
    await expect(make(dir, ['a'], 'b')).rejects.toMatchObject({ code: 'usage' });
    expect(fs.stat(dir)).toBeUndefined();
  });
});

describe('PROTOCOL.md', () => {
  it('is refreshed where it is one that was shipped, whatever its line ends', async () => {
    const dir = join(tempDir(), 'hive');
    await make(dir);
    const layout = layoutOf(dir);
    writeFileSync(layout.protocol, template('PROTOCOL.md').replaceAll('\n', '\r\n'));
    expect(await refreshProtocol(fs, layout)).toHaveLength(1);
    expect(readFileSync(layout.protocol, 'utf8')).toBe(template('PROTOCOL.md'));
  });

  it('is left alone with house rules, and the current text put beside it', async () => {
    const dir = join(tempDir(), 'hive');
    await make(dir);
    const layout = layoutOf(dir);
    writeFileSync(layout.protocol, `${template('PROTOCOL.md')}\nHouse rule: be kind.\n`);
    expect((await refreshProtocol(fs, layout)).join()).toMatch(/PROTOCOL\.md\.new/);
    expect(readFileSync(`${layout.protocol}.new`, 'utf8')).toBe(template('PROTOCOL.md'));
    expect(readFileSync(layout.protocol, 'utf8')).toMatch(/be kind/);
  });
});

describe('the template', () => {
  it('holds a PROTOCOL.md that the code knows as shipped', () => {
    expect(isShippedProtocol(template('PROTOCOL.md'))).toBe(true);
  });

  it('holds settings that are valid', () => {
    expect(parseSettings(template('hive.json'))).toEqual(defaultSettings());
  });

  it('explains the protocol in under 900 words, with every act', () => {
    const text = template('PROTOCOL.md');
    expect(text.split(/\s+/).length).toBeLessThan(900);
    for (const act of ACTS) expect(text).toContain(`| \`${act}\` |`);
  });

  it('shows a letter to copy that is one', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(template('PROTOCOL.md')) ?? [];
    expect(
      parseLetter(examineLetter(Buffer.from(example), defaultSettings().limits)),
    ).toMatchObject({
      ok: true,
      repairs: [],
    });
  });
});

describe('a hive whose registry.json is gone', () => {
  it('gets one made of the directories of its agents, and says so', async () => {
    const [dir, fs] = [join(tempDir(), 'hive'), createNodeFs()];
    const agents = ['god', 'coder'];
    await initHive({ dir, fs, agents, orchestrator: 'god' });
    rmSync(join(dir, 'registry.json'));
    const again = await initHive({ dir, fs, agents: [], orchestrator: undefined });
    expect(again.agents.toSorted()).toEqual(['coder', 'god']);
    expect(again.notes.join(' ')).toContain('registry.json was missing');
    expect(JSON.parse(readFileSync(join(dir, 'registry.json'), 'utf8')).godId).toBe('god');
  });
});
