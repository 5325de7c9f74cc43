import type { Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor, TEST_BACKENDS, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import type { OptimizerOption, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const train = regression(8);

describe('a transform that returns something else is an error that names it', () => {
  const cases: [string, Hook, string][] = [
    [
      'gradients: 5',
      { name: 'odd', transformGradients: () => 5 as never },
      'returned 5, expected gradients by',
    ],
    [
      'gradients: null',
      { name: 'odd', transformGradients: () => null as never },
      'returned null, expected gradients',
    ],
    [
      'gradients: a Map',
      { name: 'odd', transformGradients: () => new Map() as never },
      'returned a Map, expected',
    ],
    [
      'gradients: a list',
      { name: 'odd', transformGradients: () => [] as never },
      'returned a list, expected',
    ],
    [
      'gradients: a number for a path',
      { name: 'odd', transformGradients: () => ({ 'out/bias': 5 }) as never },
      'returned 5 for "out/bias", expected a tensor of shape [1], or null',
    ],
    [
      'gradients: a strange path',
      { name: 'odd', transformGradients: () => ({ 'out/biass': null }) },
      'returned a gradient for "out/biass", but there is none',
    ],
    [
      'batch: 5',
      { name: 'odd', transformBatch: () => 5 as never },
      'returned 5 without xs, expected { xs, ys, weights }',
    ],
    ['batch: {}', { name: 'odd', transformBatch: () => ({}) as never }, 'returned an object without xs'],
    [
      'batch: numbers',
      { name: 'odd', transformBatch: () => ({ xs: [[1, 2, 3]], ys: [[1]] }) as never },
      'returned a batch with a list in it',
    ],
    [
      'activation: 5',
      { name: 'odd', transformActivation: () => 5 as never },
      'returned 5 for "hidden", whose output',
    ],
    [
      'loss: 5',
      { name: 'odd', transformLoss: () => 5 as never },
      'returned 5, expected one number, as a tensor',
    ],
  ];
  test.each(cases)('%s', async (_what, hook, message) => {
    const model = regressor();
    const error = await errorOf(quietTrainer({ model, hooks: [hook] }).fit({ train, epochs: 1 }));
    expect(error.code).toBe('BAD_TRANSFORM');
    expect(error.message).toContain('hook "odd"');
    expect(error.message).toContain(message);
    expect(weightsOf(model)).toEqual(weightsOf(regressor()));
  });
});

describe('null in place of a gradient', () => {
  const withoutHidden: Hook = {
    name: 'without-hidden',
    transformGradients: (ctx) =>
      ctx.state.step > 0 ? { 'hidden/kernel': null, 'hidden/bias': null } : undefined,
  };
  /** The weights after each of two steps. */
  async function trained(hook: Hook, options: Partial<TrainerOptions>) {
    const seen: number[][][] = [];
    const model = regressor();
    const look: Hook = { name: 'look', onStepEnd: () => void seen.push(weightsOf(model)) };
    const trainer = quietTrainer({ model, hooks: [hook, look], ...options });
    await trainer.fit({ train, epochs: 2, batchSize: 8 });
    await trainer.dispose();
    return seen as [number[][], number[][]];
  }

  const optimizers: OptimizerOption[] = [
    { name: 'sgd', lr: 0.1, momentum: 0.9, weightDecay: 0.1 },
    { name: 'adam', lr: 0.1, weightDecay: 0.1 },
    { name: 'adamw', lr: 0.1, weightDecay: 0.1 },
    { name: 'rmsprop', lr: 0.1, momentum: 0.9, weightDecay: 0.1 },
    { name: 'lion', lr: 0.1, weightDecay: 0.1 },
    tf.train.momentum(0.1, 0.9),
  ];
  test.each(TEST_BACKENDS)(
    'on %s moves the parameter by nothing, not by decay, not by momentum',
    async (backend) => {
      for (const optimizer of optimizers) {
        const [first, second] = await trained(withoutHidden, { optimizer, backend });
        expect(second.slice(0, 2)).toEqual(first.slice(0, 2));
        expect(second[2]).not.toEqual(first[2]);
      }
    },
  );

  test('lrScale: 0 leaves the parameters as they are, too', async () => {
    for (const optimizer of optimizers) {
      const brake: Hook = {
        name: 'brake',
        onStepStart: ({ state }) => {
          if (state.step === 1) for (const group of state.optimizers[0]!.groups) group.lrScale = 0;
        },
      };
      const [first, second] = await trained(brake, { optimizer });
      expect(second).toEqual(first);
    }
  });

  test('for all of them is a step that changes nothing, clipped or not, and leaks nothing', async () => {
    const nothing: Hook = {
      name: 'nothing',
      transformGradients: (_ctx, { gradients }) =>
        Object.fromEntries(Object.keys(gradients).map((path) => [path, null])),
      onGradientClip: () => {},
    };
    const model = regressor();
    for (const clip of [undefined, { globalNorm: 1 }, { norm: 1 }]) {
      const trainer = quietTrainer({ model, hooks: [nothing], ...(clip && { clip }) });
      await trainer.ready();
      const before = tf.memory().numTensors;
      await trainer.fit({ train, epochs: 2, batchSize: 4 });
      expect(tf.memory().numTensors).toBe(before);
    }
    expect(weightsOf(model)).toEqual(weightsOf(regressor()));
  });

  test('hides the gradient from the hooks behind, and from the events', async () => {
    const seen: string[][] = [];
    const look: Hook = {
      name: 'look',
      transformGradients: (_ctx, { gradients }) => void seen.push(Object.keys(gradients)) as undefined,
      onGradientsReady: (_ctx, { gradients }) => void seen.push(Object.keys(gradients)),
      onBeforeOptimizerStep: (_ctx, { gradients }) => void seen.push(Object.keys(gradients)),
    };
    const hide: Hook = { name: 'hide', transformGradients: () => ({ 'hidden/kernel': null }) };
    await quietTrainer({ model: regressor(), hooks: [hide, look] }).fit({ train, epochs: 1 });
    expect(seen).toEqual(Array.from({ length: 3 }, () => ['hidden/bias', 'out/kernel', 'out/bias']));
  });
});
