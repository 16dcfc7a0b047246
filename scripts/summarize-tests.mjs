/**
 * Prints the closing line of a test run, `N passed, N failed`, alone on a line, from the report that
 * vitest's JSON reporter wrote; fails when anything failed, and when there is nothing to count.
 *
 * Usage: node scripts/summarize-tests.mjs REPORT [EXIT_CODE_OF_VITEST]
 */
import { existsSync, readFileSync } from 'node:fs';

/**
 * What the summary reads of the report.
 * @typedef {object} Report
 * @property {{ name: string, status: string, assertionResults: { status: string }[] }[]} testResults
 */

/**
 * Counts the tests of a report. A file that failed beyond its tests (it did not load, or a hook of it
 * failed) counts as one failure.
 * @param {Report} report
 */
function count({ testResults }) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, status, assertionResults } of testResults) {
    const statuses = assertionResults.map((result) => result.status);
    const failed = statuses.filter((result) => result === 'failed').length;
    counts.passed += statuses.filter((result) => result === 'passed').length;
    counts.skipped += statuses.filter((result) => !['passed', 'failed'].includes(result)).length;
    counts.failed += failed;
    if (status === 'failed' && failed === 0) {
      console.error(`Failed as a whole: ${name}`);
      counts.failed += 1;
    }
  }
  return counts;
}

/**
 * @param {string} path
 * @returns {Report | undefined}
 */
function readReport(path) {
  if (!existsSync(path)) return undefined;
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    return Array.isArray(report.testResults) ? report : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const [path = '', exitCode = '0'] = process.argv.slice(2);
const report = readReport(path);
const counts = report === undefined ? { passed: 0, failed: 0, skipped: 0 } : count(report);
if (report === undefined) {
  console.error(`The test run left no report at ${path}: it crashed, which counts as one failure.`);
  counts.failed += 1;
} else if (counts.passed + counts.failed === 0) {
  console.error('The test run ran no test, which counts as one failure.');
  counts.failed += 1;
} else if (exitCode !== '0' && counts.failed === 0) {
  console.error(`vitest ended with ${exitCode} for an error outside of the tests: one failure.`);
  counts.failed += 1;
}

const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
process.exitCode = counts.failed > 0 || exitCode !== '0' ? 1 : 0;
