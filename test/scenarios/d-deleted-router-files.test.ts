// needs: git
import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../src/doctor/diagnose.ts';
import { systemClock } from '../../src/hive/system-clock.ts';
import { openHive } from '../../src/index.ts';
import { runOnce } from '../../src/router/run-once.ts';
import { hivemail } from '../cli/command-line.ts';
import { type HiveBench, openHiveBench } from '../helpers/hive-bench.ts';

const LETTER = { to: 'coder', act: 'inform', subject: 'S', body: 'B' };

async function leftovers(dir: string): Promise<string> {
  const findings = await diagnose(dir, { clock: systemClock, env: process.env });
  const found = findings.filter(({ check }) => check === 'leftovers');
  return found.map(({ level, what, advice }) => `${level}: ${what} ${advice}`).join('\n');
}

const warnings = (dir: string): string =>
  [...openHive(dir).rows()]
    .flatMap(({ code, note }) => (code === 'router-lost' ? [note] : []))
    .join('\n');

/** Puts a file in the place of an inbox, and a letter to it and to another agent on its way. */
async function oweTo(bench: HiveBench, agent: string): Promise<string> {
  const inbox = join(bench.dir, 'agents', agent, 'inbox');
  rmSync(inbox, { recursive: true });
  writeFileSync(inbox, 'no directory');
  const row = await bench.send('planner', { ...LETTER, to: [agent, 'tester'] });
  expect(row.owed).toEqual([agent]);
  return `${row.id}`;
}

/** The hive as it lies there if its router is gone now. */
function asAfterCrash(bench: HiveBench): string {
  const copy = join(bench.dir, '..', 'crashed');
  cpSync(bench.dir, copy, { recursive: true, preserveTimestamps: true });
  rmSync(join(copy, '.router', 'owner.json'));
  return copy;
}

describe('D10. .router after a crash', () => {
  it('is told of by doctor and status while it is there: whose mail lies in it, and why', async () => {
    const bench = await openHiveBench();
    const id = await oweTo(bench, 'coder');
    const dir = asAfterCrash(bench);
    expect(await leftovers(dir)).toContain(`that an inbox could not take (${id} for coder`);
    const status = await hivemail(['--hive', dir, 'status']);
    expect(status.exitCode).toBe(6);
    expect(status.stdout).toMatch(/\.router\/ holds accepted mail, .*: \d messages? for coder/);
    expect(status.stdout).toContain('Do not delete it.');
  });

  it('is told of by doctor when it was deleted, and by the log once a router has begun anew', async () => {
    const bench = await openHiveBench();
    const id = await oweTo(bench, 'coder');
    expect(await bench.recorded()).toBe(true);
    const dir = asAfterCrash(bench);
    rmSync(join(dir, '.router'), { recursive: true });
    const told = await leftovers(dir);
    expect(told).toContain(
      'warning: What the last router had in .router/ is gone, and it did not stop',
    );
    expect(told).toContain(`By the log it still owed ${id} for coder.`);
    const { letters } = await runOnce({ dir, clock: systemClock });
    expect(letters).toBe(0);
    expect(warnings(dir)).toContain(`By the log it still owed ${id} for coder.`);
    // What is lost is told once, and is no debt of the routers that follow.
    rmSync(join(dir, '.router'), { recursive: true });
    expect(await leftovers(dir)).toMatch(/^ok: /);
    await runOnce({ dir, clock: systemClock });
    expect(warnings(dir).split('\n')).toHaveLength(1);
  });
});

describe('D10. .router after a clean stop', () => {
  it('is free to be deleted when the stop said nothing of it', async () => {
    const bench = await openHiveBench();
    await bench.send('planner', LETTER);
    await bench.close();
    rmSync(join(bench.dir, '.router'), { recursive: true });
    expect(await leftovers(bench.dir)).toMatch(/^ok: /);
    const status = await hivemail(['--hive', bench.dir, 'status']);
    expect(status.exitCode).toBe(0);
    await bench.open();
    await bench.settle();
    expect(bench.inbox('coder')).toHaveLength(1);
    expect(warnings(bench.dir)).toBe('');
  });

  it('is told of as it was left, by the stop, status and doctor, and by doctor once it is gone', async () => {
    const bench = await openHiveBench();
    const id = await oweTo(bench, 'coder');
    await bench.close();
    const [stop] = bench.rows().slice(-1);
    expect(stop?.note).toContain(
      "1 message for coder can't be put into agents/coder/inbox (ENOTDIR). Do not delete .router/",
    );
    const status = await hivemail(['--hive', bench.dir, 'status']);
    expect(status.exitCode).toBe(6);
    expect(status.stdout).toContain('1 message for coder');
    rmSync(join(bench.dir, '.router'), { recursive: true });
    expect(await leftovers(bench.dir)).toContain(`By the log it still owed ${id} for coder.`);
  });

  it('names the code by which an inbox refused, in doctor', async () => {
    const bench = await openHiveBench();
    const id = await oweTo(bench, 'coder');
    const { StatusWriter } = await import('../../src/router/status-files.ts');
    await new StatusWriter(bench.router, {
      history: { state: () => ({ ok: true, behind: 0 }) },
    }).write();
    await bench.close();
    expect(await leftovers(bench.dir)).toContain(`(${id} for coder, ENOTDIR)`);
  });
});
