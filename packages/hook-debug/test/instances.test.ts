import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { type DebugOptions, debug, replay } from '../src/index.js';
import { chain } from './chain.js';
import { watchedRun } from './watched-run.js';

/** An instance under a given name, as the registry makes it. */
function named(name: string, options: DebugOptions = {}): Hook {
  const hook = debug(options);
  Object.defineProperty(hook, 'name', { value: name });
  return hook;
}

const BAD_THIRD = { xs: [[1], [2], [Number.NaN], [4]], ys: [[1], [2], [3], [4]] };

test('the stop reason and the log carry the name of the instance that stopped the run', async () => {
  const { result, lines } = await watchedRun([named('nan-guard')], { data: BAD_THIRD });
  expect(result.stopReason).toBe('nan-guard: the loss is NaN at epoch 1, batch 3 of loader "train" (step 2)');
  const errors = lines.filter(({ level }) => level === 'error');
  expect(errors.map(({ fields }) => fields.hook)).toEqual(['nan-guard']);
});

test('two instances keep their bundles apart, and each bundle replays', async () => {
  const run = await watchedRun([debug(), named('second')], { data: BAD_THIRD, runsDir: tempFolder() });
  const folders = ['debug', 'second'].map((name) => join(run.result.runDir, name));
  for (const folder of folders) {
    expect(await readdir(folder)).toEqual(['2']);
    const report = await replay(join(folder, '2'), { model: chain() });
    expect(report).toMatchObject({ bad: true, firstBadLayer: 'first' });
  }
});

test('one that warns and one that stops: the run stops, with the weights of before', async () => {
  const clean = await watchedRun([], { data: { xs: [[1], [2]], ys: [[1], [2]] } });
  const run = await watchedRun([debug({ nan: 'warn' }), named('strict')], { data: BAD_THIRD });
  expect(run.result.stopReason).toMatch(/^strict: /);
  expect(run.said.map(({ level }) => level)).toEqual(['warn']);
  expect(run.weights).toEqual(clean.weights);
});

test('each checks at its own pace', async () => {
  const run = await watchedRun(
    [debug({ every: 3, nan: 'warn' }), named('often', { every: 1, nan: 'warn' })],
    {
      data: { xs: [[1], [Number.NaN], [1], [1]], ys: [[1], [1], [1], [1]] },
      nonFiniteLoss: 'skip',
    },
  );
  // The batch is skipped, so the bad step is step 1, at which only one of them looks.
  const findings = run.lines.filter(({ message }) => message.startsWith('The loss is NaN'));
  expect(findings.map(({ fields }) => [fields.hook, fields.step])).toEqual([['often', 1]]);
});
