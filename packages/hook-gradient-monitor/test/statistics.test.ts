import type { Hook, TrainableModule } from '@hookline/hook-api';
import { someOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { type GradientMonitorOptions, gradientMonitor } from '../src/index.js';
import { plain } from './plain-statistics.js';
import { onDevice, samples, under, watchedRun, witness } from './watched-run.js';

const EVERYTHING: GradientMonitorOptions = {
  stats: ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite', 'update-ratio'],
  percentiles: [0, 10, 50, 99.5, 100],
};
const PATHS = ['encoder/kernel', 'encoder/bias', 'decoder/kernel', 'decoder/bias'];

const WAYS: [string, 'cpu' | 'wasm', (hook: Hook) => Hook][] = [
  ['cpu', 'cpu', (hook) => hook],
  ['wasm', 'wasm', (hook) => hook],
  ['a device', 'cpu', onDevice],
];

/** Close in single precision, in which devices add up. */
const near = (value: number) => expect.closeTo(value, 7 - Math.ceil(Math.log10(Math.abs(value) + 1e-7)) - 1);

describe.each(someOf(WAYS, 1))('on %s', (_name, backend, way) => {
  test('every statistic is what plain arithmetic makes of independently computed gradients', async () => {
    const expected: Record<string, number[]> = {};
    const data = samples(8);
    // On the model itself, just before the run, with tfjs alone.
    const independent: Hook = {
      name: 'independent',
      onTrainStart({ state }) {
        const model = state.model as tfl.LayersModel;
        const { value, grads } = tf.variableGrads(() =>
          tf.mean(tf.square(tf.sub(model.apply(data.xs) as tf.Tensor, data.ys))),
        );
        for (const path of PATHS)
          expected[path] = [...grads[(state.parameters[path] as tf.Variable).name]!.dataSync()];
        tf.dispose([value, grads]);
      },
    };
    const run = watchedRun([independent, way(gradientMonitor(EVERYTHING))], { backend });
    await run.fit({ train: data, shuffle: false });

    expect(run.logs).toHaveLength(1);
    const { values } = run.logs[0]!;
    expect(values['grad/norm']).toEqual(near(plain.norm(PATHS.flatMap((path) => expected[path]!))));
    expect(values['grad/nonfinite']).toBe(0);
    for (const path of PATHS) {
      const gradient = expected[path]!;
      for (const stat of ['norm', 'min', 'max', 'mean', 'std', 'zeros'] as const)
        expect(values[`grad/${stat}/${path}`], stat).toEqual(near(plain[stat](gradient)));
      for (const percentile of EVERYTHING.percentiles!)
        expect(values[`grad/p${percentile}/${path}`]).toEqual(near(plain.percentile(gradient, percentile)));
      expect(values[`grad/nonfinite/${path}`]).toBe(0);
    }
  });

  test.each(['sgd', 'adam'] as const)(
    'the update ratio of %s is that of the weights themselves',
    async (name) => {
      const { seen, ...eyes } = witness();
      const optimizer = { name, lr: 0.05, weightDecay: 0.01 };
      const run = watchedRun([eyes, way(gradientMonitor())], { backend, optimizer });
      await run.fit();
      const ratios = under('grad/update-ratio/', run.logs[0]!.values);
      // Biases begin with zeros, and nothing can be said in relation to those.
      expect(Object.keys(ratios)).toEqual(['encoder/kernel', 'decoder/kernel']);
      for (const [path, ratio] of Object.entries(ratios)) {
        expect(ratio).toBeGreaterThan(0);
        expect(ratio).toEqual(near(plain.updateRatio(seen.before![path]!, seen.after![path]!)));
      }
    },
  );

  test('with clipping and accumulation the gradients are those of the step, before and after', async () => {
    const { seen, ...eyes } = witness();
    const run = watchedRun([eyes, way(gradientMonitor({ gradients: 'both' }))], {
      backend,
      accumulate: 3,
      clip: { globalNorm: 0.01 },
    });
    await run.fit({ train: samples(24) });
    expect(run.logs).toHaveLength(1);
    const { values } = run.logs[0]!;
    const normOf = (view: string) => plain.norm(Object.values(seen[view]!).flat());
    expect(values['grad/norm']).toEqual(near(normOf('raw')));
    expect(values['grad-applied/norm']).toEqual(near(normOf('applied')));
    expect(values['grad/norm']).toBeGreaterThan(0.011);
    expect(values['grad-applied/norm']).toEqual(near(0.01));
    for (const path of PATHS) {
      expect(values[`grad/norm/${path}`]).toEqual(near(plain.norm(seen.raw![path]!)));
      expect(values[`grad-applied/norm/${path}`]).toEqual(near(plain.norm(seen.applied![path]!)));
      expect(values[`grad-applied/p50/${path}`]).toEqual(near(plain.percentile(seen.applied![path]!, 50)));
    }
  });

  test('a parameter of more than 4,096 values gives the percentiles of a fair sample', async () => {
    const { seen, ...eyes } = witness();
    const model = () =>
      tfl.sequential({
        layers: [
          tfl.layers.dense({ name: 'wide', inputShape: [6], units: 3000, activation: 'tanh' }),
          tfl.layers.dense({ name: 'out', units: 2 }),
        ],
      });
    const run = watchedRun([eyes, way(gradientMonitor())], { backend, model });
    await run.fit();
    const values = run.logs[0]!.values;
    const gradient = seen.raw!['wide/kernel']!;
    expect(gradient).toHaveLength(18_000);
    // Three standard errors of a share that is estimated from 4,096 values.
    for (const [percentile, error] of [
      [10, 0.015],
      [50, 0.024],
      [90, 0.015],
    ] as const) {
      const found = values[`grad/p${percentile}/wide/kernel`]!;
      const rank = gradient.filter((value) => value < found).length / gradient.length;
      expect(Math.abs(rank - percentile / 100)).toBeLessThan(error);
    }
    // Norms are those of all values.
    expect(values['grad/norm/wide/kernel']).toEqual(near(plain.norm(gradient)));
  });
});

test('several optimizers are one step, and are logged as one', async () => {
  const { seen, ...eyes } = witness();
  const run = watchedRun([eyes, gradientMonitor({ gradients: 'applied' })], {
    optimizer: [{ name: 'sgd', lr: 0.1, params: 'encoder/*' }, 'adam'],
  });
  await run.fit();
  expect(run.logs).toHaveLength(1);
  const { values } = run.logs[0]!;
  expect(values['grad-applied/norm']).toEqual(near(plain.norm(Object.values(seen.applied!).flat())));
  expect(Object.keys(under('grad-applied/norm/', values))).toEqual(PATHS);
  expect(under('grad/update-ratio/', values)).toEqual({
    'encoder/kernel': near(
      plain.updateRatio(seen.before!['encoder/kernel']!, seen.after!['encoder/kernel']!),
    ),
    'decoder/kernel': near(
      plain.updateRatio(seen.before!['decoder/kernel']!, seen.after!['decoder/kernel']!),
    ),
  });
  expect(Object.keys(under('grad/norm', values))).toEqual([]);
});

test('an update that another hook skips moved nothing', async () => {
  const skipper: Hook = { name: 'skipper', onBeforeOptimizerStep: (ctx) => ctx.skipStep() };
  const run = watchedRun([skipper, gradientMonitor()]);
  await run.fit();
  const { values } = run.logs[0]!;
  expect(values['grad/update-ratio/encoder/kernel']).toBe(0);
  expect(values['grad/norm']).toBeGreaterThan(0);
});

test('the first step and every 100th are looked at, and nothing in between', async () => {
  const run = watchedRun([gradientMonitor()]);
  await run.fit({ train: samples(250), batchSize: 1 });
  expect(run.logs.map(({ step }) => step)).toEqual([1, 100, 200]);
});

test('what is switched off is not logged', async () => {
  const run = watchedRun([
    gradientMonitor({ norm: false, stats: ['zeros'], percentiles: [], vanishing: false, exploding: false }),
  ]);
  await run.fit();
  expect(Object.keys(run.logs[0]!.values)).toEqual(PATHS.map((path) => `grad/zeros/${path}`));
});

test('by default there are norms, percentiles, shares, update ratios and the count of layers in trouble', async () => {
  const run = watchedRun([gradientMonitor({ params: 'encoder/kernel' })]);
  await run.fit();
  expect(Object.keys(run.logs[0]!.values).sort()).toEqual([
    'grad/exploding',
    'grad/nonfinite',
    'grad/nonfinite/encoder/kernel',
    'grad/norm',
    'grad/norm/encoder/kernel',
    'grad/p10/encoder/kernel',
    'grad/p50/encoder/kernel',
    'grad/p90/encoder/kernel',
    'grad/update-ratio/encoder/kernel',
    'grad/vanishing',
    'grad/zeros/encoder/kernel',
  ]);
});

test('a model of raw operations is watched by the paths it gives', async () => {
  const weight = tf.variable(tf.tensor1d([3, 4]));
  const model: TrainableModule = {
    parameters: () => ({ weight }),
    forward: () => weight,
    loss: (outputs) => tf.sum(tf.square(outputs as tf.Tensor)),
  };
  const run = watchedRun([gradientMonitor()], { model });
  await run.fit({ train: { xs: tf.zeros([1, 1]) } });
  const { values } = run.logs[0]!;
  expect(values['grad/norm/weight']).toBeCloseTo(10, 5);
  expect(values['grad/update-ratio/weight']).toBeCloseTo(0.1, 5);
});

test('a recurrent layer is watched by the parameters of its cell, a frozen one not at all', async () => {
  const model = () => {
    const frozen = tfl.layers.dense({ name: 'frozen', units: 4, inputShape: [3, 2] });
    frozen.trainable = false;
    return tfl.sequential({
      layers: [
        frozen,
        tfl.layers.lstm({ name: 'memory', units: 3 }),
        tfl.layers.dense({ name: 'out', units: 1 }),
      ],
    });
  };
  const run = watchedRun([gradientMonitor()], { model });
  await run.fit({ train: { xs: tf.randomNormal([4, 3, 2], 0, 1, 'float32', 1), ys: tf.ones([4, 1]) } });
  const watched = Object.keys(under('grad/norm/', run.logs[0]!.values));
  expect(watched.filter((path) => path.startsWith('frozen'))).toEqual([]);
  expect(watched.filter((path) => path.startsWith('memory'))).toHaveLength(3);
});
