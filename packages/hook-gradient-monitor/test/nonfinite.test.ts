import type { Hook } from '@hookline/hook-api';
import { histogramsSince } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { type GradientMonitorOptions, gradientMonitor } from '../src/index.js';
import { plain } from './plain-statistics.js';
import { onDevice, poison, samples, under, watchedRun, witness } from './watched-run.js';

const WAYS: [string, 'cpu' | 'wasm', (hook: Hook) => Hook][] = [
  ['cpu', 'cpu', (hook) => hook],
  ['wasm', 'wasm', (hook) => hook],
  ['a device', 'cpu', onDevice],
];
const STATS = ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite'] as const;

describe.each(WAYS)('on %s', (_name, backend, way) => {
  test('NaN and infinities are counted, and everything else is about the finite values', async () => {
    const { seen, ...eyes } = witness();
    const bad = [Number.NaN, 0, Infinity, 0, -Infinity];
    const run = watchedRun([poison('encoder/kernel', ...bad), eyes, way(gradientMonitor({ stats: STATS }))], {
      backend,
    });
    await run.fit();
    const { values } = run.logs[0]!;
    const finite = seen.raw!['encoder/kernel']!.filter(Number.isFinite);
    expect(finite).toHaveLength(27);
    expect(values['grad/norm']).toBeNaN();
    expect(values['grad/norm/encoder/kernel']).toBeNaN();
    expect(values['grad/norm/decoder/kernel']).toBeGreaterThan(0);
    expect(values['grad/nonfinite/encoder/kernel']).toBe(3);
    expect(values['grad/nonfinite/decoder/kernel']).toBe(0);
    expect(values['grad/nonfinite']).toBe(3);
    expect(values['grad/zeros/encoder/kernel']).toBeCloseTo(2 / 30, 7);
    for (const stat of ['min', 'max', 'mean', 'std'] as const)
      expect(values[`grad/${stat}/encoder/kernel`], stat).toBeCloseTo(plain[stat](finite), 6);
    expect(values['grad/p50/encoder/kernel']).toBeCloseTo(plain.percentile(finite, 50), 6);
  });

  test('the smallest and largest finite values are not mistaken for zero', async () => {
    const extremes = async (...values: [number, number]) => {
      const run = watchedRun([poison('decoder/bias', ...values), way(gradientMonitor({ stats: STATS }))], {
        backend,
      });
      await run.fit();
      return ['min', 'max', 'mean'].map((stat) => run.logs[0]!.values[`grad/${stat}/decoder/bias`]);
    };
    expect(await extremes(Number.NaN, 3)).toEqual([3, 3, 3]);
    expect(await extremes(-3, Infinity)).toEqual([-3, -3, -3]);
  });

  test('infinite values without NaN give an infinite norm', async () => {
    const run = watchedRun([poison('decoder/bias', -Infinity), way(gradientMonitor())], { backend });
    await run.fit();
    expect(run.logs[0]!.values['grad/norm']).toBe(Infinity);
    expect(run.logs[0]!.values['grad/nonfinite/decoder/bias']).toBe(1);
  });

  test('a gradient without any finite value is reported as that, and nothing is made up about it', async () => {
    let histograms: string[] = [];
    const taker: Hook = {
      name: 'taker',
      onLog: (ctx) => {
        histograms = histogramsSince(ctx.shared, 0).items.map(({ name }) => name);
      },
    };
    const run = watchedRun(
      [taker, poison('decoder/bias', Number.NaN, Number.NaN), way(gradientMonitor({ stats: STATS }))],
      { backend },
    );
    await run.fit();
    const { values } = run.logs[0]!;
    expect(Object.keys(values).filter((name) => name.endsWith('/decoder/bias'))).toEqual([
      'grad/norm/decoder/bias',
      'grad/nonfinite/decoder/bias',
      'grad/zeros/decoder/bias',
    ]);
    expect(values['grad/nonfinite/decoder/bias']).toBe(2);
    expect(values['grad/zeros/decoder/bias']).toBe(0);
    expect(histograms).toHaveLength(3);
  });
});

test('NaN in the data is seen in the gradients of every layer it reaches', async () => {
  const run = watchedRun([gradientMonitor()], { nonFiniteLoss: 'warn' });
  const { xs, ys } = samples(8);
  const broken = tf.concat([tf.slice(xs, 0, 7), tf.fill([1, 6], Number.NaN)]) as tf.Tensor2D;
  await run.fit({ train: { xs: broken, ys } });
  expect(Object.values(under('grad/nonfinite/', run.logs[0]!.values))).toEqual([30, 5, 10, 2]);
  expect(run.said.filter(({ message }) => message.startsWith('Gradients'))).toMatchObject([
    {
      level: 'warn',
      message:
        'Gradients are NaN or infinite in encoder (35 of 35 values), decoder (12 of 12 values) at step 1. ' +
        'Look for NaN in the data, lower the learning rate, or clip the gradients.',
      fields: { step: 1, trouble: 'nonfinite', layers: ['encoder', 'decoder'] },
    },
  ]);
});

test('neither a filter nor switched-off statistics hide a NaN', async () => {
  const options: GradientMonitorOptions = {
    params: 'decoder',
    norm: false,
    stats: [],
    percentiles: [],
    histogram: false,
    vanishing: false,
    exploding: false,
  };
  const run = watchedRun([poison('encoder/bias', Number.NaN), gradientMonitor(options)]);
  await run.fit();
  expect(run.logs[0]!.values).toEqual({ 'grad/nonfinite': 1 });
  expect(run.said.map(({ message }) => message)).toContainEqual(
    expect.stringMatching(/^Gradients are NaN or infinite in encoder \(1 of 35 values\) at step 1/),
  );
  const healthy = watchedRun([gradientMonitor(options)]);
  await healthy.fit();
  expect(healthy.logs).toEqual([]);
});
