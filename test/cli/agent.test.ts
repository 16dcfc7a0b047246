import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeHive, type TestHive } from './command-line.ts';

function registryOf({ dir }: TestHive): { godId: string | null; agents: Record<string, object> } {
  return JSON.parse(readFileSync(join(dir, 'registry.json'), 'utf8'));
}

describe('agent', () => {
  it('add makes the agent with its fields and prints the environment of its sessions', async () => {
    const hive = await makeHive();
    const fields = ['--name', 'Tess', '--role', 'tester', '--capabilities', 'unit, e2e'];
    const more = ['--provider', 'codex', '--cwd', '/src', '--reports-to', 'planner', '--send-only'];
    const ran = await hive.cli('agent', 'add', 'tester', ...fields, ...more);
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.stdout).toMatch(/^tester is added\. /);
    expect(ran.stdout).toContain("\nexport HIVEMAIL_AGENT='tester'\n");
    expect(registryOf(hive).agents['tester']).toMatchObject({
      ...{ name: 'Tess', role: 'tester', capabilities: ['unit', 'e2e'], provider: 'codex' },
      ...{ cwd: '/src', reportsTo: 'planner', isAssistant: true },
    });
    expect(existsSync(join(hive.dir, 'agents/tester/inbox'))).toBe(true);
  });

  it('add refuses an id that is taken, and one that can be none', async () => {
    const hive = await makeHive();
    expect(await hive.cli('agent', 'add', 'coder')).toMatchObject({ exitCode: 4, stdout: '' });
    expect(await hive.cli('agent', 'add', 'broadcast')).toMatchObject({ exitCode: 2 });
    expect(await hive.cli('agent', 'add', '../up')).toMatchObject({ exitCode: 2 });
  });

  it('list and show tell what the registry says', async () => {
    const hive = await makeHive();
    await hive.cli('agent', 'archive', 'planner');
    const list = (await hive.cli('agent', 'list')).stdout;
    expect(list).toMatch(/^god +god +orchestrator +orchestrator$/m);
    expect(list).toMatch(/^planner +planner +planner +archived$/m);
    expect(await hive.json('agent', 'list')).toMatchObject([
      { id: 'god', orchestrator: true },
      { id: 'planner', orchestrator: false, archived: true },
      { id: 'coder', orchestrator: false },
    ]);
    expect((await hive.cli('agent', 'show', 'coder')).stdout).toMatch(/^role +coder$/m);
    const shown = await hive.json('agent', 'show', 'Coder');
    expect(shown).toMatchObject({ id: 'coder', directory: join(hive.dir, 'agents/coder') });
    expect(await hive.cli('agent', 'show', 'nobody')).toMatchObject({ exitCode: 3 });
  });

  it('set changes what is named and leaves the rest', async () => {
    const hive = await makeHive();
    expect((await hive.cli('agent', 'set', 'god', '--no-orchestrator')).exitCode).toBe(0);
    expect(registryOf(hive).godId).toBeNull();
    await hive.cli('agent', 'set', 'coder', '--orchestrator', '--send-only');
    expect(registryOf(hive)).toMatchObject({
      godId: 'coder',
      agents: { coder: { isGod: true, isAssistant: true, role: 'coder' } },
    });
    await hive.cli('agent', 'set', 'coder', '--no-send-only');
    expect(registryOf(hive).agents['coder']).toMatchObject({ isGod: true, isAssistant: false });
    expect(await hive.cli('agent', 'set', 'coder')).toMatchObject({ exitCode: 2 });
    expect(await hive.cli('agent', 'set', 'coder', '--name', ' ')).toMatchObject({ exitCode: 2 });
  });

  it('archive, restore, hold, unhold and rename change the roster, with a router up and without', async () => {
    const hive = await makeHive();
    const changes = [
      [['archive', 'coder'], { archived: true }],
      [['restore', 'coder'], { archived: false }],
      [['hold', 'coder'], { onHold: true }],
      [['unhold', 'coder'], { onHold: false }],
      [['rename', 'coder', 'The coder'], { name: 'The coder' }],
    ] as const;
    const applyAll = async (): Promise<void> => {
      for (const [args, expected] of changes) {
        expect(await hive.cli('agent', ...args)).toMatchObject({ exitCode: 0, stderr: '' });
        expect(registryOf(hive).agents['coder']).toMatchObject(expected);
      }
      const ran = await hive.cli('agent', 'hold', 'codr');
      expect(ran.exitCode).toBe(3);
      expect(ran.stderr).toContain('Did you mean coder?');
    };
    await applyAll();
    await using _router = await hive.up();
    await applyAll();
  });

  it('env prints what a shell evaluates to the very values, quotes and spaces included', async () => {
    const hive = await makeHive(`it's a "$HOME" \\ dir -`);
    await hive.cli('agent', 'rename', 'coder', `O'Coder; touch "$(pwd)"`);
    const { stdout } = await hive.cli('agent', 'env', 'coder');
    const names = 'HIVEMAIL_HIVE HIVEMAIL_AGENT HIVE_ROOT AGENT_ID AGENT_NAME AGENT_DIR';
    const script = `eval "$1"; for name in ${names}; do eval "printf '%s\\n' \\"\\$$name\\""; done`;
    const lines = execFileSync('sh', ['-c', script, 'sh', stdout]).toString().trimEnd().split('\n');
    const values = [hive.dir, 'coder', hive.dir, 'coder', `O'Coder; touch "$(pwd)"`];
    expect(lines).toEqual([...values, join(hive.dir, 'agents/coder')]);
    const json = await hive.json('agent', 'env', 'coder');
    expect(Object.entries(json).map(([, value]) => value)).toEqual(lines);
    expect(await hive.cli('agent', 'env', 'human')).toMatchObject({ exitCode: 3, stdout: '' });
  });
});
