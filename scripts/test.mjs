import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root, tool } from './process.mjs';

/**
 * Runs the tests, from the sources, and ends with a summary line: `12 passed, 0 failed`.
 * @param {string[]} args Passed to vitest: files, `-t`, ...
 */
export async function test(args) {
  const resultFile = join(root, 'node_modules', '.hookline', 'test-results.json');
  rmSync(resultFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${resultFile}`];

  const failure = await tool('vitest', ['run', ...reporters, ...args]).then(
    () => undefined,
    (error) => error,
  );
  const results = existsSync(resultFile) ? readJson(resultFile) : undefined;
  console.log(`\n${closingLines(results, !failure).join('\n')}`);
  if (failure) throw failure;
}

/**
 * What vitest's JSON report says, in plain words. A file that cannot be loaded or set up has no tests to fail, a test
 * whose process died has no result, and an error can lie outside every test: each counts as a failure, so
 * that a bad run never says 0 failed.
 * @param {Report | undefined} report
 * @param {boolean} succeeded
 * @returns {string[]}
 */
export function closingLines(report, succeeded) {
  if (!report) return ['vitest ended without a report', '0 passed, 1 failed'];
  const { numPassedTests: passed, numFailedTests, numPendingTests, numTodoTests, testResults } = report;
  const skipped = numPendingTests + numTodoTests;
  const unfinished = report.numTotalTests - passed - numFailedTests - skipped;
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const failed = numFailedTests + unfinished + broken;
  const outside = failed === 0 && !succeeded ? 1 : 0;

  const lines = [];
  if (skipped > 0) lines.push(`${skipped} skipped`);
  if (unfinished > 0) lines.push(`counted as failed: ${unfinished} tests that did not finish`);
  if (broken > 0) lines.push(`counted as failed: ${broken} test files that failed as a whole`);
  if (outside > 0) lines.push('counted as failed: an error outside of the tests');
  return [...lines, `${passed} passed, ${failed + outside} failed`];
}

/**
 * The part of vitest's JSON report that is read here.
 * @typedef {object} Report
 * @property {number} numTotalTests
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults One for each file.
 */
