import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/protocol/errors.ts';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');

describe('docs/errors.md', () => {
  it('shows every error code with its sentence, exit code, status and retry', () => {
    const rows = Object.entries(ERRORS).map(
      ([code, { sentence, exitCode, httpStatus, retryable }]) =>
        `| \`${code}\` | ${sentence} | ${exitCode} | ${httpStatus} | ${retryable ? 'yes' : 'no'} |`,
    );
    expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows);
  });
});
