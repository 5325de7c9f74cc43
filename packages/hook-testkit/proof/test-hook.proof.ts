import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');

interface Report {
  success: boolean;
  testResults: { assertionResults: { title: string; status: string; failureMessages: string[] }[] }[];
}

test('in the test run of an author, what is broken fails and says how to fix it; what only follows from it is skipped', () => {
  const cwd = join(import.meta.dirname, 'broken-suite');
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--reporter=json'], {
    cwd,
    encoding: 'utf8',
    // Its own worker, not a part of this run.
    env: { ...process.env, VITEST: undefined, VITEST_WORKER_ID: undefined, VITEST_POOL_ID: undefined },
  });
  expect(status).toBe(1);
  const { testResults } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Report;
  const results = testResults[0]!.assertionResults;
  const of = (wanted: string) => results.filter(({ status }) => status === wanted).map(({ title }) => title);
  expect(of('failed')).toEqual([
    'package.json names the hook, its file, its export and its kinds',
    `its range of @hookline/hook-api includes the current version`,
    'leaves no tensor behind, neither in a step nor after a fit',
  ]);
  const leak = results.find(({ title }) => title.startsWith('leaves no tensor'))!;
  expect(leak.failureMessages[0]).toMatch(
    /27 tensors more after 27 steps; most of them are made in onStepEnd\. Dispose/,
  );
  expect(of('skipped')).toEqual([
    'cleans up when another hook fails before training begins',
    'is not disturbed by other hooks that fail, nor by a run that they end',
    'can be switched off and on during a run',
  ]);
  expect(of('passed')).toHaveLength(8);
});
