import { every, type Hook } from '@hookline/hook-api';
import { errorOf, recorder, regression, regressor, someOf, TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { Data, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

const flat = (values: number[][]) => Float32Array.from(values.flat());
const small = regression(8);

/** Tensors that are left after the run, of those that one run like it did not leave already. */
async function growth(options: Partial<TrainerOptions>, train: Data = small, epochs = 3): Promise<number> {
  const trainer = quietTrainer({ model: regressor(), metrics: ['meanAbsoluteError'], ...options });
  const run = { train, validation: small, epochs, batchSize: 4 };
  await trainer.fit(run);
  const before = tf.memory().numTensors;
  await trainer.fit(run);
  return tf.memory().numTensors - before;
}

/** Uses everything: taps, transforms, metrics, logs, snapshots. */
const busy: Hook = {
  name: 'busy',
  transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.mul(batch.xs as tf.Tensor, 1.01) }),
  onForward: (_ctx, { output }) => void tf.mean(output),
  transformActivation: (_ctx, { output }) => tf.mul(output, 0.99),
  onAfterBackward: async (_ctx, { gradients }) => {
    await gradients['out/bias']?.data();
  },
  transformGradients: (_ctx, { gradients }) => {
    const [path, gradient] = Object.entries(gradients)[0]!;
    return { [path]: tf.mul(gradient, 0.5) };
  },
  onTrainBatchEnd: (ctx, { loss, batchIndex }) => ctx.log({ 'busy/loss': loss ?? batchIndex }),
  onEpochEnd: every({ epochs: 10 }, async (ctx) => {
    await ctx.restore(await ctx.snapshot());
  }),
};

const everything: Partial<TrainerOptions> = {
  accumulate: 2,
  clip: { globalNorm: 0.1 },
  nonFiniteLoss: 'skip',
  optimizer: [
    { name: 'adam', params: 'hidden/*' },
    { name: 'sgd', momentum: 0.9 },
  ],
};

// The proof of no growth does this for 5,000 steps, and looks at the heap too.
describe.each(TEST_BACKENDS)('on %s, tensors do not grow', (backend) => {
  test('over 40 steps without hooks', async () => {
    const trainer = quietTrainer({ model: regressor(), backend, metrics: ['meanAbsoluteError'] });
    await trainer.fit({ train: small, epochs: 1, batchSize: 4 });
    const seen = new Set<number>();
    trainer.addHook({ name: 'count', onEpochStart: () => void seen.add(tf.memory().numTensors) });
    await trainer.fit({ train: small, epochs: 20, batchSize: 4 });
    expect([...seen]).toHaveLength(1);
  });

  test('over 40 steps with hooks in every event, transforms, clipping, accumulation and validation', async () => {
    const trainer = quietTrainer({
      model: regressor(),
      backend,
      metrics: ['meanAbsoluteError'],
      ...everything,
      hooks: [busy],
    });
    const data = { train: small, validation: small, batchSize: 2 };
    await trainer.fit({ ...data, epochs: 1 });
    const seen = new Set<number>();
    trainer.addHook({ name: 'count', onEpochStart: () => void seen.add(tf.memory().numTensors) });
    await trainer.fit({ ...data, epochs: 20 }); // 2 steps of 2 batches each
    expect([...seen]).toHaveLength(1);
  });
});

describe('a run leaves no tensor behind', () => {
  const batches = () => [
    { xs: tf.tensor2d(small.xs), ys: tf.tensor2d(small.ys) },
    { xs: small.xs, ys: flat(small.ys) },
  ];
  const data: [string, Data][] = [
    ['nested arrays', small],
    ['typed arrays', { xs: flat(small.xs), ys: flat(small.ys) }],
    ['targets of shape [n]', { xs: small.xs, ys: small.ys.flat() }],
    ['sample weights', { ...small, weights: small.ys.map(() => 1) }],
    ['an array of batches, some of numbers', batches()],
    ['a generator of batches, some of numbers', () => batches()[Symbol.iterator]()],
    [
      'a generator of batches that mix tensors and numbers',
      function* () {
        yield { xs: tf.tensor2d(small.xs), ys: small.ys, weights: Float32Array.from(small.ys, () => 1) };
      },
    ],
  ];

  test.each(someOf(data, 3))('with data as %s', async (_name, train) => {
    expect(await growth({}, train)).toBe(0);
    expect(await growth({ ...everything, hooks: [busy, recorder()] }, train)).toBe(0);
  });

  const settings: readonly (readonly [string, Partial<TrainerOptions>])[] = [
    ['clipping by value', { clip: { value: 0.1 } }],
    ['clipping by norm', { clip: { norm: 0.1 } }],
    ['accumulation that is flushed', { accumulate: 3 }],
    ['an optimizer of tfjs', { optimizer: tf.train.adam(0.01) }],
    ['adamw', { optimizer: { name: 'adamw', weightDecay: 0.1 } }],
    ['nonFiniteLoss: throw', { nonFiniteLoss: 'throw' }],
  ];
  test.each(someOf(settings, 2))('with %s', async (_name, options) => {
    expect(await growth(options)).toBe(0);
    expect(await growth({ ...options, hooks: [recorder()] })).toBe(0);
  });

  test('when batches and steps are skipped', async () => {
    const skip: Hook = {
      name: 'skip',
      onTrainBatchStart: (ctx, { batchIndex }) => {
        if (batchIndex === 0) ctx.skipBatch();
      },
      onBeforeOptimizerStep: (ctx) => ctx.skipStep(),
    };
    expect(await growth({ hooks: [skip] })).toBe(0);
    expect(await growth({ hooks: [skip], accumulate: 2 }, () => batches()[Symbol.iterator]())).toBe(0);
  });

  test('when a loss that is not finite is skipped, and the batch changed moving averages', async () => {
    const model = () =>
      tfl.sequential({
        layers: [
          tfl.layers.batchNormalization({ inputShape: [3] }),
          tfl.layers.dense({ name: 'out', units: 1 }),
        ],
      });
    const withNaN = { xs: [...small.xs.slice(1), [Number.NaN, 0, 0]], ys: small.ys };
    expect(await growth({ model, nonFiniteLoss: 'skip' }, withNaN)).toBe(0);
  });

  test('when it is stopped in the middle of a step', async () => {
    const stop: Hook = { name: 'stop', onTrainBatchEnd: (ctx) => ctx.stop('enough') };
    expect(await growth({ hooks: [stop], accumulate: 4 })).toBe(0);
  });

  test('when it fails', async () => {
    const failures: [Partial<TrainerOptions>, Data][] = [
      [{}, { xs: [[1, 2]], ys: [[1]] }],
      [{}, { xs: small.xs, ys: small.xs }],
      [{}, () => [{ xs: tf.ones([2, 3]), ys: tf.ones([2, 2]) }]],
      [{}, () => [{ xs: tf.ones([2, 5]), ys: tf.ones([2, 1]) }]],
      [{ metrics: [() => tf.scalar(1)] }, small],
      [{ loss: (targets) => tf.mean(targets) }, small], // does not depend on the model
      [{ nonFiniteLoss: 'throw' }, { xs: [[Number.NaN, 0, 0]], ys: [[0]] }],
      [
        { hooks: [{ name: 'tap', layers: 'nowhere', onForward: () => {} }] },
        () => [{ xs: tf.ones([2, 3]), ys: tf.ones([2, 1]) }],
      ],
      [
        {
          hooks: [
            busy,
            {
              name: 'thrower',
              transformBatch: () => {
                throw new Error('thrown');
              },
            },
          ],
        },
        [{ xs: tf.tensor2d(small.xs), ys: tf.tensor2d(small.ys) }],
      ],
    ];
    for (const [options, train] of failures) {
      const trainer = quietTrainer({ model: regressor(), metrics: ['meanAbsoluteError'], ...options });
      await trainer.ready();
      const before = tf.memory().numTensors;
      for (let run = 0; run < 2; run++) {
        await errorOf(trainer.fit({ train, epochs: 1 }));
        await trainer.validate({ data: train }).catch(() => {}); // some of them can be evaluated
      }
      expect(tf.memory().numTensors - before, JSON.stringify(Object.keys(options))).toBe(0);
    }
  });

  test('and a trainer that is disposed of leaves the model only', async () => {
    const before = tf.memory().numTensors;
    const trainer = quietTrainer({ model: regressor(), optimizer: 'adam' });
    const weights = tf.memory().numTensors - before;
    await trainer.fit({ train: small, epochs: 1 });
    expect(tf.memory().numTensors - before).toBe(weights + 2 * 4); // two slots for each
    await trainer.dispose();
    expect(tf.memory().numTensors - before).toBe(weights);
    await trainer.fit({ train: small, epochs: 1 }); // it starts over
    await trainer.dispose();
    await trainer.dispose();
    expect(tf.memory().numTensors - before).toBe(weights);
  });

  test('after validate, test and predict', async () => {
    const trainer = quietTrainer({ model: regressor(), metrics: ['accuracy'], hooks: [recorder(), busy] });
    await trainer.ready();
    const before = tf.memory().numTensors;
    await trainer.validate({ data: { one: small, two: small }, batchSize: 3 });
    await trainer.test({ data: () => batches()[Symbol.iterator]() });
    const outputs = await trainer.predict({ data: small, batchSize: 3 });
    expect(tf.memory().numTensors - before).toBe(1); // what predict returned
    tf.dispose(outputs);
  });
});
