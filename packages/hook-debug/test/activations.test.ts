import type { ForwardOptions, TensorTree } from '@hookline/hook-api';
import { tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { debug, replay } from '../src/index.js';
import { PRETEND_DEVICE, watchedRun } from './watched-run.js';

/** `big` puts out infinity, and the sigmoid of `out` makes 1 of it: neither loss nor gradients show anything. */
const squashed = () =>
  sequential({
    layers: [
      layers.dense({
        name: 'big',
        units: 1,
        inputShape: [1],
        trainable: false,
        kernelInitializer: { className: 'Constant', config: { value: 3e38 } } as never,
      }),
      layers.activation({ name: 'squash', activation: 'sigmoid', trainable: false }),
      layers.dense({ name: 'out', units: 1 }),
    ],
  });
const data = { xs: [[0], [10]], ys: [[1], [1]] };

describe.each([
  ['in our own memory', []],
  ['on a device', [PRETEND_DEVICE]],
])('with tensors %s', (_where, pretend) => {
  test('an infinity that no loss shows is found when activations are watched', async () => {
    expect((await watchedRun([...pretend, debug()], { model: squashed, data })).said).toEqual([]);
    const run = await watchedRun([...pretend, debug({ activations: true })], { model: squashed, data });
    expect(run.result.stopReason).toBe(
      'debug: the output of layer big is not finite at epoch 1, batch 2 of loader "train" (step 1)',
    );
    expect(run.said[0]!.fields.layer).toBe('big');
  });

  test('the layer of the failing pass counts, also when the batch run again takes another way', async () => {
    let calls = 0;
    const weight = tf.variable(tf.scalar(1));
    const run = await watchedRun([...pretend, debug({ activations: true })], {
      model: {
        parameters: () => ({ weight }),
        forward: (xs: TensorTree, { tap }: ForwardOptions) => {
          const scaled = tf.mul(xs as tf.Tensor, weight);
          return tap('flaky', calls++ === 1 ? tf.div(scaled, 0) : scaled);
        },
        loss: (outputs: TensorTree) => tf.mean<tf.Scalar>(outputs as tf.Tensor),
      },
      data: { xs: [[1], [2], [3]] },
    });
    expect(run.result.stopReason).toContain('batch 2');
    expect(run.said[0]!.message).toContain('The first layer with a bad output is flaky, from finite input');
  });
});

test('the step of an RNN at which it went wrong is named', async () => {
  const model = () =>
    sequential({
      layers: [
        layers.simpleRNN({
          name: 'rnn',
          units: 1,
          inputShape: [3, 1],
          activation: 'linear',
          useBias: false,
          kernelInitializer: 'ones',
          recurrentInitializer: 'zeros',
        }),
      ],
    });
  const run = await watchedRun([debug()], {
    model,
    data: { xs: [[[1], [Number.NaN], [3]]], ys: [[1]] },
  });
  expect(run.said[0]!.message).toContain('The first layer with a bad output is rnn/cell (use 2 in the pass)');
});

test('a layer whose kernel outside of training swallows NaN is named all the same', async () => {
  const model = () =>
    sequential({
      layers: [
        layers.dense({
          name: 'hidden',
          units: 4,
          inputShape: [1],
          activation: 'relu',
          biasInitializer: 'ones',
        }),
        layers.dense({ name: 'out', units: 1 }),
      ],
    });
  const bad = { xs: [[1], [Number.NaN]], ys: [[1], [1]] };
  const run = await watchedRun([debug()], { model, data: bad, backend: 'wasm', runsDir: tempFolder() });
  expect(run.said[0]!.fields.layer).toBe('hidden');
  const report = await replay(run.said[0]!.fields.bundle as string, { model });
  expect(report.firstBadLayer).toBe('hidden');
});
