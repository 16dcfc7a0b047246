import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hivemail } from '../cli/command-line.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { makeScene, type Scene, snapshot } from './scene.ts';

interface Told {
  fixes: { check: string; done: boolean; problem?: string }[];
  findings: { check: string; level: string; what: string; fix?: string }[];
  counts: Record<string, number>;
}

const doctor = ({ dir }: Scene, ...args: string[]) =>
  hivemail(['doctor', '--hive', dir, ...args], { env: { PATH: process.env['PATH'] ?? '' } });

describe('hivemail doctor', () => {
  it('ends with 0 and a line for each check when all is well', async () => {
    const { exitCode, stdout, stderr } = await doctor(await makeScene());
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.at(-1)).toBe('29 ok.');
    expect(lines.slice(0, 29).every((line) => /^ok {7}[a-z-]+ +\S/.test(line))).toBe(true);
  });

  it('says below each finding what it means, what to do, and what --fix would do; ends with 0', async () => {
    const scene = await makeScene();
    rmSync(scene.agent('coder').sent, { recursive: true });
    scene.roster((registry) => Object.assign(registry, { godId: 'zeus' }));
    const before = snapshot(scene.dir);
    const { exitCode, stdout } = await doctor(scene);
    expect(exitCode).toBe(0);
    expect(snapshot(scene.dir)).toEqual(before);
    expect(stdout).toMatch(
      /^warning {2}mailboxes {12}Missing: agents\/coder\/outbox\/\.sent\.\n {9}means: .+\n {9}--fix: Make the directories\.$/m,
    );
    expect(stdout).toMatch(
      /^warning {2}registry {13}godId names .+\n {9}means: .+\n {9}do: {4}.+$/m,
    );
    expect(stdout).toMatch(/\n\n\d+ ok, 3 warnings\. `hivemail doctor --fix` would mend 1\.\n$/);
  });

  it('ends with 6 when something is an error', async () => {
    const scene = await makeScene();
    scene.write('registry.json', '{');
    const { exitCode, stdout } = await doctor(scene);
    expect(exitCode).toBe(6);
    expect(stdout).toContain('error    registry');
  });

  it('with --fix mends what it can, looks again, and ends with what remains', async () => {
    const scene = await makeScene();
    chmodSync(scene.agent('coder').outbox, 0o500);
    rmSync(scene.agent('coder').done, { recursive: true });
    const { exitCode, stdout } = await doctor(scene, '--fix');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^done {5}mailboxes {12}Make the directories\.$/m);
    expect(stdout).toMatch(/^done {5}modes /m);
    expect(stdout).toMatch(/\n\n29 ok\.\n$/);
    expect(statSync(scene.agent('coder').outbox).mode & 0o777).toBe(0o700);
    scene.write('hive.json', '{"polMs": 1}');
    expect((await doctor(scene, '--fix')).exitCode).toBe(6);
  });

  it('says why something was not mended', async () => {
    const scene = await makeScene();
    rmSync(scene.agent('coder').done, { recursive: true });
    rmSync(scene.layout.router, { recursive: true });
    writeFileSync(scene.layout.router, '');
    const { stdout } = await doctor(scene, '--fix');
    expect(stdout).toMatch(/^not done mailboxes .*\n {9}.* is no directory\. Move it away/m);
  });

  it('with --json tells the same to a program', async () => {
    const scene = await makeScene();
    rmSync(scene.agent('coder').done, { recursive: true });
    const before = JSON.parse((await doctor(scene, '--json')).stdout) as Told;
    expect(before.fixes).toEqual([]);
    expect(before.counts).toEqual({ ok: 28, note: 0, warning: 1, error: 0 });
    expect(before.findings.filter(({ level }) => level !== 'ok')).toMatchObject([
      { check: 'mailboxes', fix: 'Make the directories.' },
    ]);
    const after = JSON.parse((await doctor(scene, '--fix', '--json')).stdout) as Told;
    expect(after.fixes).toEqual([
      { check: 'mailboxes', says: 'Make the directories.', done: true },
    ]);
    expect(after.counts).toMatchObject({ ok: 29, warning: 0 });
  });

  it('lets no escape sequence of a file name reach the terminal', async () => {
    const scene = await makeScene();
    scene.write('agents/coder/outbox/\u001b[31mred\n.txt', 'x');
    const { stdout } = await doctor(scene);
    expect(stdout).toContain('\\u001b[31mred\\n.txt');
    expect(stdout).not.toContain('\u001b');
  });

  it('ends with 3 where there is no hive', async () => {
    const dir = join(tempDir(), 'nothing');
    expect(await hivemail(['doctor', '--hive', dir])).toMatchObject({ exitCode: 3, stdout: '' });
  });
});
