import type { Hook, Snapshot } from '@hookline/hook-api';
import { type Histogram, histogramsSince } from '@hookline/hook-api/helpers';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';
import { onDevice, samples, smallModel, type WatchedRun, watchedRun } from './watched-run.js';

/** Scales all gradients, step by step. */
function scale(...factors: number[]): Hook {
  return {
    name: 'scale',
    transformGradients: ({ state }, { gradients }) =>
      Object.fromEntries(
        Object.entries(gradients).map(([path, each]) => [path, tf.mul(each, factors[state.step] ?? 1)]),
      ),
  };
}

const troubles = ({ said }: WatchedRun) =>
  said
    .filter(({ message }) => message.startsWith('Gradients'))
    .map(({ level, message }) => `${level}: ${message}`);
const series = ({ logs }: WatchedRun, name: string) => logs.map(({ values }) => values[name]);
const steps = (count: number) => ({ train: samples(count), batchSize: 1, shuffle: false });

describe.each([
  ['in our memory', (hook: Hook) => hook],
  ['on a device', onDevice],
])('%s', (_name, way) => {
  test('layers whose units have died are named, with zeros in every statistic', async () => {
    const histograms: Histogram[] = [];
    const taker: Hook = {
      name: 'taker',
      onLog: (ctx) => void histograms.push(...histogramsSince(ctx.shared, 0).items),
    };
    const model = () => {
      const dead = smallModel({ activation: 'relu' });
      dead.layers[0]!.setWeights([tf.zeros([6, 5]), tf.fill([5], -1)]);
      return dead;
    };
    const run = watchedRun([taker, way(gradientMonitor())], { model });
    await run.fit();
    const { values } = run.logs[0]!;
    for (const path of ['encoder/kernel', 'encoder/bias', 'decoder/kernel']) {
      expect(values[`grad/norm/${path}`]).toBe(0);
      expect(values[`grad/zeros/${path}`]).toBe(1);
      expect(values[`grad/p50/${path}`]).toBe(0);
    }
    expect(values['grad/zeros/decoder/bias']).toBe(0);
    expect(values['grad/vanishing']).toBe(1);
    expect(troubles(run)).toEqual([
      'warn: Gradients vanish in encoder (norm 0) at step 1, below 1e-7. Look for activations that saturate or die, ' +
        'and at the initialisation.',
    ]);
    expect(histograms.find(({ name }) => name === 'grad/histogram/encoder/bias')).toEqual({
      name: 'grad/histogram/encoder/bias',
      step: 1,
      min: 0,
      max: 0,
      num: 5,
      sum: 0,
      sumSquares: 0,
      edges: [0, 0],
      counts: [5],
    });
  });
});

test('each episode is reported once when it begins and once when it ends', async () => {
  const run = watchedRun(
    [scale(1, 1e7, 1e7, 1e8, 1, 1, 1e-12, 1e-12, 1, 1e7), gradientMonitor({ every: 1, params: 'encoder' })],
    { clip: { globalNorm: 1e-3 } },
  );
  await run.fit(steps(10));
  expect(troubles(run).map((line) => line.replace(/norm [^)]*/, 'norm'))).toEqual([
    'warn: Gradients explode in encoder (norm) at step 2, above 1000. Lower the learning rate, or clip the gradients.',
    'info: Gradients no longer explode in encoder (since step 2) at step 5.',
    'warn: Gradients vanish in encoder (norm) at step 7, below 1e-7. Look for activations that saturate or die, and at the initialisation.',
    'info: Gradients no longer vanish in encoder (since step 7) at step 9.',
    'warn: Gradients explode in encoder (norm) at step 10, above 1000. Lower the learning rate, or clip the gradients.',
  ]);
  expect(series(run, 'grad/exploding')).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 1]);
  expect(series(run, 'grad/vanishing')).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 0, 0]);
});

test('gradients that clipping tames are still seen to explode, unless only the applied ones are looked at', async () => {
  const exploding = async (gradients: 'raw' | 'applied' | 'both') => {
    const run = watchedRun([scale(1e7), gradientMonitor({ gradients })], { clip: { globalNorm: 1 } });
    await run.fit();
    return series(run, 'grad/exploding')[0];
  };
  expect(await exploding('raw')).toBe(2);
  expect(await exploding('both')).toBe(2);
  expect(await exploding('applied')).toBe(0);
});

test('the thresholds are those that are given, and false switches the warning off', async () => {
  const told = async (options: Parameters<typeof gradientMonitor>[0]) => {
    const run = watchedRun([gradientMonitor(options)]);
    await run.fit();
    return { lines: troubles(run), values: run.logs[0]!.values };
  };
  expect((await told({ exploding: 1e-6 })).lines).toEqual([expect.stringContaining('above 0.000001')]);
  expect((await told({ vanishing: 1e6 })).lines).toEqual([expect.stringContaining('below 1000000')]);
  const off = await told({ vanishing: false, exploding: false });
  expect(off.lines).toEqual([]);
  expect(off.values).not.toHaveProperty('grad/vanishing');
});

test('when many layers begin at once the message names the first, and its fields name all', async () => {
  const model = () => {
    const layers = Array.from({ length: 12 }, (_, i) =>
      tfl.layers.dense({ name: `layer${i}`, units: 6, ...(i === 0 && { inputShape: [6] }) }),
    );
    return tfl.sequential({ layers: [...layers, tfl.layers.dense({ name: 'out', units: 2 })] });
  };
  const run = watchedRun([gradientMonitor({ vanishing: 1e6 })], { model });
  await run.fit();
  const warnings = run.said.filter(({ level }) => level === 'warn');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]!.message).toMatch(
    /vanish in layer0 \(norm .*layer7 \(norm [^)]*\) and 5 more at step 1/,
  );
  expect((warnings[0]!.fields as { layers: string[] }).layers).toHaveLength(13);
});

test('a resumed run knows which episodes continue', async () => {
  let snapshot: Snapshot | undefined;
  const saver: Hook = {
    name: 'saver',
    async onTrainBatchEnd(ctx) {
      if (ctx.state.step === 2) snapshot = await ctx.snapshot();
    },
  };
  const factors = [1, 1e7, 1e7, 1, 1];
  const options = { clip: { globalNorm: 1e-3 } };
  const whole = watchedRun([saver, scale(...factors), gradientMonitor({ every: 1 })], options);
  await whole.fit(steps(5));
  const loader: Hook = {
    name: 'loader',
    setup: (ctx) =>
      ctx.provideCheckpoints({
        find: async () => ({ path: 'memory' }),
        load: async () => JSON.parse(JSON.stringify(snapshot), reviveTensors),
        save: async () => {},
      }),
  };
  const resumed = watchedRun([loader, scale(...factors), gradientMonitor({ every: 1 })], options);
  await resumed.fit({ ...steps(5), resume: 'auto' });
  expect(troubles(whole)).toHaveLength(2);
  expect(troubles(resumed)).toEqual(troubles(whole).slice(1));
  expect(troubles(resumed)[0]).toMatch(
    /no longer explode in encoder \(since step 2\), decoder \(since step 2\) at step 4/,
  );
  // What step 2 logged had not reached onLog when the snapshot was taken: the resumed run delivers it.
  expect(resumed.logs.map(({ values }) => values)).toEqual(whole.logs.slice(1).map(({ values }) => values));
});

test('every fit begins without episodes', async () => {
  const run = watchedRun([gradientMonitor({ exploding: 1e-6 })]);
  await run.fit();
  await run.fit();
  expect(troubles(run)).toEqual(
    Array(2).fill(expect.stringMatching(/explode in encoder .*, decoder .* at step 1/)),
  );
});

test('a saved state that is not its own is refused', () => {
  for (const state of [null, { wait: 3 }, { vanishing: {}, exploding: { a: 'x' }, nonfinite: {} }]) {
    expect(() => gradientMonitor().loadState!(state as never)).toThrow(/not its own.*Expected \{ vanishing/s);
  }
});

/** Typed arrays come out of JSON as objects. */
function reviveTensors(_key: string, value: unknown): unknown {
  const tensor = value as { dtype?: string; data?: Record<string, number> } | null;
  if (typeof tensor !== 'object' || !tensor?.dtype || !tensor.data) return value;
  const numbers = Object.values(tensor.data);
  return {
    ...tensor,
    data: tensor.dtype === 'int32' ? Int32Array.from(numbers) : Float32Array.from(numbers),
  };
}
