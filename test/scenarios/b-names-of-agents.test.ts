import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { putRequest } from '../../src/hive/control.ts';
import { layoutOf } from '../../src/hive/layout.ts';
import { createNodeFs } from '../../src/hive/node-fs.ts';
import { hivemail, makeHive } from '../cli/command-line.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const fs = createNodeFs();

/** What Windows takes for a device, or makes another name of, and what looks or folds like an id. */
const DEVICES = ['con', 'nul', 'prn', 'aux', 'com1', 'lpt9', 'com0', 'con.txt', 'nul.tar.gz'];
const LIKE_DEVICES = ['CON', 'com\u00b9', 'lpt\u00b3.log', 'conin$', '\uff43\uff4f\uff4e'];
const LIKE_IDS = ['\u212aate', 'te\u017fter', 'kr\u0131sh', 'kr\u0130sh', '\uff4bate', 'KATE'];
const TRAILING = ['coder.', 'coder..', 'cod\u00a0er', 'coder-'];
const NAMES = [...DEVICES, ...LIKE_DEVICES, ...LIKE_IDS, ...TRAILING];

describe('a name that no agent may have', () => {
  it.each(NAMES)('makes no hive as one of its agents: %j', async (name) => {
    const dir = join(tempDir(), 'hive');
    const ran = await hivemail(['init', dir, '--agents', `god,${name}`, '--orchestrator', 'god']);
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' });
    expect(fs.stat(dir)).toBeUndefined();
  });

  it('is refused by `agent add`, with a router up and without', async () => {
    const hive = await makeHive();
    const some = ['con', 'lpt9', 'com\u00b9', '\u212aate', 'coder.'];
    for (const name of some) expect(await hive.cli('agent', 'add', name)).toMatchObject(REFUSED);
    await using _ = await hive.up();
    for (const name of some) expect(await hive.cli('agent', 'add', name)).toMatchObject(REFUSED);
    expect(agentsIn(hive.dir)).toEqual(THERE);
  });

  it('is refused in a request that somebody left for the router', async () => {
    const hive = await makeHive();
    const layout = layoutOf(hive.dir);
    mkdirSync(layout.control, { recursive: true });
    for (const [place, agent] of NAMES.entries()) {
      const change = { op: 'add', agent, fields: {} } as const;
      await putRequest(fs, layout, { kind: 'roster', change }, Date.now() + place);
    }
    expect(await hive.cli('up', hive.dir, '--once')).toMatchObject({ exitCode: 0 });
    const answers = readdirSync(layout.control).map((file) => {
      return JSON.parse(readFileSync(join(layout.control, file), 'utf8'));
    });
    expect(answers.map(({ ok }) => ok)).toEqual(NAMES.map(() => false));
    expect(agentsIn(hive.dir)).toEqual(THERE);
  });

  it('is passed over in a registry.json that holds it, which is told, and gets no directory', async () => {
    const hive = await makeHive();
    const path = join(hive.dir, 'registry.json');
    const registry = JSON.parse(readFileSync(path, 'utf8'));
    for (const name of NAMES) registry.agents[name] = { name: 'Somebody' };
    writeFileSync(path, JSON.stringify(registry));
    await hive.cli('up', hive.dir, '--once');
    expect(agentsIn(hive.dir)).toEqual(THERE);
    const { stdout } = await hive.cli('doctor');
    expect(stdout).toMatch(/No ids, so these agents have no mail: "con", /);
    expect(stdout).toContain(` and ${NAMES.length - 5} more.`);
  });

  it('is no agent where the roster is made anew from the directories', async () => {
    const hive = await makeHive();
    for (const name of NAMES) mkdirSync(join(hive.dir, 'agents', name));
    rmSync(join(hive.dir, 'registry.json'));
    await hive.cli('init', hive.dir);
    const registry = JSON.parse(readFileSync(join(hive.dir, 'registry.json'), 'utf8'));
    expect(Object.keys(registry.agents).sort()).toEqual(['coder', 'god', 'planner']);
  });
});

const REFUSED = { exitCode: 2, stdout: '' };
const THERE = ['coder', 'god', 'human', 'planner'];

function agentsIn(dir: string): string[] {
  return readdirSync(join(dir, 'agents')).sort();
}

describe('a name that only looks or folds like that of an agent', () => {
  it('gets no mail in its place, and its writer is told of the agent', async () => {
    const hive = await makeHive();
    for (const id of ['kate', 'tester', 'krish']) await hive.cli('agent', 'add', id);
    for (const [place, to] of LIKE_IDS.entries()) {
      const letter = join(hive.dir, 'agents/god/outbox', `${place}.json`);
      writeFileSync(letter, JSON.stringify({ to, act: 'inform', subject: `to ${to}` }));
    }
    await hive.cli('up', hive.dir, '--once');
    const subjects = (id: string) =>
      readdirSync(join(hive.dir, 'agents', id, 'inbox'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => {
          const path = join(hive.dir, 'agents', id, 'inbox', name);
          return JSON.parse(readFileSync(path, 'utf8')).subject as string;
        });
    // The case of ASCII is no other name.
    expect(subjects('kate')).toEqual(['to KATE']);
    expect([...subjects('tester'), ...subjects('krish')]).toEqual([]);
    const archived = readdirSync(join(hive.dir, 'agents/god/outbox/.sent'));
    expect(archived.filter((name) => name.startsWith('bounced-'))).toHaveLength(5);
    expect(subjects('god')[0]).toContain('unknown-recipient');
  });

  it('is no agent whose roster is changed, whose environment is printed, or that writes', async () => {
    const hive = await makeHive();
    await hive.cli('agent', 'add', 'kate');
    const kelvin = '\u212aate';
    expect(await hive.cli('agent', 'hold', kelvin)).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await hive.cli('agent', 'env', kelvin)).toMatchObject({ exitCode: 3, stdout: '' });
    expect(await hive.cli('agent', 'show', kelvin)).toMatchObject({ exitCode: 3, stdout: '' });
    const sent = await hive.cli(
      '--agent',
      kelvin,
      'send',
      '--to',
      'god',
      '--act',
      'inform',
      '--subject',
      'x',
      '--body',
      'x',
    );
    expect([sent.exitCode, sent.stderr]).toEqual([3, expect.stringContaining('no agent')]);
  });
});
