import type { Hook } from '@hookline/hook-api';
import { histogramsSince } from '@hookline/hook-api/helpers';
import { expect, test } from 'vitest';
import { type ActivationsHook, type ActivationsOptions, ablate, activations } from '../src/index.js';
import { train } from './training.js';

/** An instance under a given name, as the registry makes it. */
function named(name: string, options: ActivationsOptions): ActivationsHook {
  const hook = activations(options);
  Object.defineProperty(hook, 'name', { value: name });
  return hook;
}

// Hooks given in code under a name that is not built in run first.
test('a second instance logs under its own name, at its own pace', async () => {
  const { series } = await train([
    activations({ every: 3, metrics: ['mean'] }),
    named('outputs', { every: 2, monitor: 'out', metrics: ['mean', 'max'] }),
  ]);
  const seen = series.map(({ step, values }) => `${step}: ${Object.keys(values).join(' ')}`);
  const all = 'act/first/mean act/second/mean act/out/mean';
  const own = 'outputs/out/mean outputs/out/max';
  expect(seen).toEqual([`1: ${own} ${all}`, `2: ${own}`, `3: ${all}`, `4: ${own}`, `6: ${own} ${all}`]);
});

test('histograms of two instances have different names', async () => {
  let names: string[] = [];
  const looker: Hook = {
    name: 'looker',
    onTrainEnd: (ctx) => {
      names = histogramsSince(ctx.shared, 0).items.map(({ name }) => name);
    },
  };
  const options: ActivationsOptions = { monitor: 'out', metrics: ['histogram'] };
  await train([looker, activations(options), named('second', options)]);
  expect(names.sort()).toEqual(['act/out/histogram', 'second/out/histogram']);
});

test('each captures into its own memory', async () => {
  const one = activations({ every: 1, monitor: false, capture: 'out', maxCapturedStates: 2 });
  const two = named('second', { every: 3, monitor: false, capture: ['first', 'second'] });
  await train([one, two]);
  expect(one.taps.getCapturedStates('capture').map(({ step }) => step)).toEqual([4, 5]);
  expect(two.taps.getCapturedStates('capture').map(({ step, path }) => `${step} ${path}`)).toEqual([
    '0 first',
    '0 second',
    '2 first',
    '2 second',
    '5 first',
    '5 second',
  ]);
});

test('one sees what the other has changed, and switching one off leaves the other on', async () => {
  const watching = activations({ every: 1, metrics: ['max'], monitor: 'second' });
  const changing = () =>
    named('silence', { monitor: false, enableIntervention: true, interventions: [ablate('second')] });
  const { series } = await train([changing(), watching]);
  expect(series.map(({ values }) => values['act/second/max'])).toEqual(Array(6).fill(0));
  const off = await train(
    [changing(), activations({ every: 1, metrics: ['max'], monitor: 'second' })],
    'layers',
    {
      beforeFit: (trainer) => trainer.disableHook('silence'),
    },
  );
  expect(off.series).toHaveLength(6);
  expect(off.series[0]!.values['act/second/max']).toBeGreaterThan(0);
});
