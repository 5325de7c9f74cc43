import type { Hook } from '@hookline/hook-api';
import { histogramsSince } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { type GradientMonitorOptions, gradientMonitor } from '../src/index.js';
import { samples, under, watchedRun } from './watched-run.js';

/** An instance under a given name, as the registry makes it. */
function named(name: string, options: GradientMonitorOptions): Hook {
  const hook = gradientMonitor(options);
  Object.defineProperty(hook, 'name', { value: name });
  return hook;
}

test('a second instance logs under its own name, beside the first and with its own options', async () => {
  const alone = watchedRun([gradientMonitor()]);
  await alone.fit();
  const run = watchedRun([
    gradientMonitor(),
    named('decoder-clip', { params: 'decoder', gradients: 'both', exploding: 1e-6 }),
  ]);
  await run.fit();
  const { values } = run.logs[0]!;
  expect(under('grad/', values)).toEqual(under('grad/', alone.logs[0]!.values));
  expect(Object.keys(under('decoder-clip/norm', values))).toEqual(['', '/decoder/kernel', '/decoder/bias']);
  expect(Object.keys(under('decoder-clip-applied/norm', values))).toHaveLength(3);
  expect(values['grad/exploding']).toBe(0);
  expect(values['decoder-clip/exploding']).toBe(1);
});

test('histograms of two instances have different names', async () => {
  let names: string[] = [];
  const looker: Hook = {
    name: 'looker',
    onLog: (ctx) => {
      names = histogramsSince(ctx.shared, 0).items.map(({ name }) => name);
    },
  };
  const params = 'decoder/bias';
  await watchedRun([looker, gradientMonitor({ params }), named('second', { params })]).fit();
  expect(names.sort()).toEqual(['grad/histogram/decoder/bias', 'second/histogram/decoder/bias']);
});

test('each has its own pace and its own episodes', async () => {
  const run = watchedRun([
    gradientMonitor({ every: 2 }),
    named('strict', { every: 1, exploding: 1e-6, params: 'decoder' }),
  ]);
  await run.fit({ train: samples(4), batchSize: 1 });
  const stepsOf = (metric: string) =>
    run.logs.flatMap(({ step, values }) => (metric in values ? [step] : []));
  expect(stepsOf('grad/norm')).toEqual([1, 2, 4]);
  expect(stepsOf('strict/norm')).toEqual([1, 2, 3, 4]);
  const warnings = run.said.filter(({ level }) => level === 'warn');
  expect(warnings.map(({ fields }) => [fields.hook, fields.trouble])).toEqual([['strict', 'exploding']]);
});

test('the errors of an instance name it', async () => {
  const run = watchedRun([named('mine', { params: 'encodr' })]);
  await expect(run.fit()).rejects.toThrow('Hook "mine" was given params that are not in the model');
  expect(() => named('mine', {}).loadState!({ wait: 3 } as never)).toThrow(
    'Hook "mine" was given a saved state',
  );
});

test('two instances together leave training as it is, and keep no tensor', async () => {
  const outcome = async (...hooks: Hook[]) => {
    const run = watchedRun(hooks, { backend: 'wasm', optimizer: 'adam' });
    await run.fit({ train: samples(8), batchSize: 2 });
    const { numTensors } = tf.memory();
    await run.fit({ train: samples(8), batchSize: 2 });
    expect(tf.memory().numTensors - numTensors).toBe(2); // the data of the second fit
    return run.weights();
  };
  const both = () => [gradientMonitor({ every: 1 }), named('second', { every: 1, gradients: 'both' })];
  expect(await outcome(...both())).toEqual(await outcome());
});
