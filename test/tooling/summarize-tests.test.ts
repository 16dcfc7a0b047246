import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempDir } from '../helpers/temp-dir.ts';
import { PROJECT, type Run, run } from './scratch-project.ts';

interface Suite {
  status: 'passed' | 'failed';
  tests: string[];
}

function summarize(suites: Suite[] | string | undefined, exitCode = '0'): Run {
  const report = join(tempDir(), 'tests.json');
  if (typeof suites === 'string') writeFileSync(report, suites);
  else if (suites !== undefined) {
    const testResults = suites.map(({ status, tests }) => ({
      name: 'a.test.ts',
      status,
      assertionResults: tests.map((test) => ({ status: test })),
    }));
    writeFileSync(report, JSON.stringify({ testResults }));
  }
  return run(PROJECT, 'node', 'scripts/summarize-tests.mjs', report, exitCode);
}

const lastLine = ({ stdout }: Run): string | undefined => stdout.trimEnd().split('\n').at(-1);

describe('summarize-tests', () => {
  it('adds up the files and succeeds when all passed', () => {
    const done = summarize([
      { status: 'passed', tests: ['passed', 'passed'] },
      { status: 'passed', tests: ['passed'] },
    ]);
    expect(done).toMatchObject({ status: 0, output: '3 passed, 0 failed\n' });
  });

  it('fails when a test failed', () => {
    const done = summarize([{ status: 'failed', tests: ['passed', 'failed', 'failed'] }], '1');
    expect(done).toMatchObject({ status: 1, output: '1 passed, 2 failed\n' });
  });

  it('tells of skipped tests', () => {
    const done = summarize([{ status: 'passed', tests: ['passed', 'skipped', 'todo'] }]);
    expect(done).toMatchObject({ status: 0, output: '1 passed, 0 failed, 2 skipped\n' });
  });

  it.each([
    ['a file that did not load', { status: 'failed', tests: [] }],
    ['a hook that failed after the tests', { status: 'failed', tests: ['passed'] }],
  ] as [string, Suite][])('counts %s as one failure', (_what, suite) => {
    const done = summarize([suite, { status: 'passed', tests: ['passed'] }], '1');
    expect(done.status).toBe(1);
    expect(lastLine(done)).toBe(`${suite.tests.length + 1} passed, 1 failed`);
  });

  it.each([
    ['no report', undefined],
    ['a torn report', '{"testResults": ['],
    ['a report of something else', '{}'],
    ['a run without tests', []],
  ] as [string, Suite[] | string | undefined][])('counts %s as one failure', (_what, suites) => {
    const done = summarize(suites);
    expect(done.status).toBe(1);
    expect(lastLine(done)).toBe('0 passed, 1 failed');
  });

  it('counts an error outside of the tests as one failure', () => {
    const done = summarize([{ status: 'passed', tests: ['passed'] }], '1');
    expect(done.status).toBe(1);
    expect(lastLine(done)).toBe('1 passed, 1 failed');
  });
});
