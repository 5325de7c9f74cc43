import type { ForwardOptions, Hook, TensorTree, TrainableModule } from '@hookline/hook-api';
import { errorOf, numbers, TEST_BACKEND } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, test } from 'vitest';
import { selectBackend } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

/** A nested model, a TimeDistributed, a Bidirectional LSTM, dropout, and a layer that is used twice. */
function layered(): tfl.LayersModel {
  const x = tfl.input({ shape: [3, 2] });
  const encoder = tfl.sequential({
    name: 'encoder',
    layers: [tfl.layers.dense({ units: 3, inputShape: [2], activation: 'tanh' })],
  });
  const td = tfl.layers.timeDistributed({ layer: encoder, name: 'td' });
  const lstm = tfl.layers.lstm({ units: 2, recurrentInitializer: 'glorotNormal' });
  const bidi = tfl.layers.bidirectional({ layer: lstm as tfl.RNN, mergeMode: 'concat', name: 'bidi' });
  const shared = tfl.layers.dense({ units: 4, name: 'shared' });
  let h: unknown = x;
  for (const layer of [td, bidi, tfl.layers.dropout({ rate: 0.3 }), shared, shared])
    h = layer.apply(h as never);
  return tfl.model({
    inputs: x,
    outputs: tfl.layers.dense({ units: 1, name: 'out' }).apply(h as never) as never,
  });
}

/** Raw ops with dropout, whose point `step` is passed three times. */
function recurrent(): TrainableModule {
  const weight = tf.variable(tf.randomNormal([2, 2]));
  const head = tf.variable(tf.randomNormal([2, 1]));
  return {
    parameters: () => ({ weight, head }),
    forward: (xs: TensorTree, { training, tap }: ForwardOptions) => {
      const steps = tf.unstack(xs as tf.Tensor, 1);
      const last = steps.reduce(
        (state, x) => tap('step', tf.tanh(tf.matMul(tf.add(state, x) as tf.Tensor2D, weight as never))),
        tf.zerosLike(steps[0]!),
      );
      const dropped = training ? tf.dropout(last, 0.3) : last;
      return tap('out', tf.matMul(dropped as tf.Tensor2D, head as never));
    },
  };
}

const MODELS = { layers: layered, 'raw ops': recurrent };

async function train(model: () => tfl.LayersModel | TrainableModule, hooks: Hook[], epochs = 2) {
  const weights: Record<string, number[]> = {};
  const reader: Hook = {
    name: 'reader',
    teardown({ state }) {
      for (const [path, weight] of Object.entries(state.parameters)) weights[path] = [...weight.dataSync()];
    },
  };
  const trainer = quietTrainer({ model, hooks: [...hooks, reader], optimizer: { name: 'adam', lr: 0.05 } });
  const xs = tf.tensor3d(numbers(8 * 6), [8, 3, 2]);
  const ys = tf.tensor2d(numbers(8, 2), [8, 1]);
  const data = { xs, ys };
  const { history } = await trainer.fit({ train: data, validation: data, epochs, batchSize: 4 });
  return { history, weights };
}

describe.each(Object.entries(MODELS))('on a model of %s', (_name, model) => {
  test('hooks that look at every activation leave training as it is, to the bit', async () => {
    let seen = 0;
    const looking: Hook = {
      name: 'looking',
      onForward: (_ctx, { output, inputs }) => {
        seen += [output, ...inputs].map((tensor) => tf.mean(tensor).dataSync()[0]!).length;
        Math.random();
      },
    };
    const plain = await train(model, []);
    expect(await train(model, [looking])).toEqual(plain);
    expect(seen).toBeGreaterThan(0);
  });

  test('activations that are handed back as they are leave training as it is, to the bit', async () => {
    const identity: Hook = { name: 'identity', transformActivation: (_ctx, { output }) => output };
    expect(await train(model, [identity])).toEqual(await train(model, []));
  });

  test('activations are seen after they are computed and before the loss', async () => {
    const order: string[] = [];
    const watch: Hook = {
      name: 'watch',
      layers: 'out',
      onForward: () => void order.push('forward'),
      transformActivation: () => void order.push('transform') as undefined,
      onBeforeBackward: () => void order.push('loss'),
      onAfterBackward: () => void order.push('gradients'),
      onTrainBatchEnd: () => void order.push('end'),
      onValidationStart: ({ stop }) => stop('enough'),
    };
    await train(model, [watch], 1);
    expect(order.slice(0, 5)).toEqual(['forward', 'transform', 'loss', 'gradients', 'end']);
  });
});

test('each use of a layer, step of a sequence and pass of a point has its number', async () => {
  const uses = async (model: () => tfl.LayersModel | TrainableModule, layers: string) => {
    const seen: string[] = [];
    const watch: Hook = {
      name: 'watch',
      layers,
      onForward: (_ctx, { callIndex, training }) =>
        void seen.push(`${training ? 'train' : 'val'} ${callIndex}`),
    };
    await train(model, [watch], 1);
    return seen;
  };
  const counted = (count: number) =>
    ['train', 'train', 'val', 'val'].flatMap((stage) =>
      Array.from({ length: count }, (_, i) => `${stage} ${i}`),
    );
  expect(await uses(layered, 'shared')).toEqual(counted(2));
  expect(await uses(layered, 'bidi/forward/cell')).toEqual(counted(3));
  expect(await uses(layered, 'td/layer/dense_1')).toEqual(counted(3));
  expect(await uses(recurrent, 'step')).toEqual(counted(3));
});

test('a replaced activation is what the rest of a module computes with, and what it learns from', async () => {
  const cut: Hook = {
    name: 'cut',
    layers: 'step',
    transformActivation: (_ctx, { output, callIndex }) =>
      callIndex === 2 ? tf.zerosLike(output) : undefined,
  };
  const { weights } = await train(recurrent, [cut]);
  const plain = await train(recurrent, [cut], 1);
  // Zeros pass nothing back, and the head is multiplied by them.
  expect(weights).toEqual(plain.weights);
});

test('layers that are not there are named: at once in a model, with the second step in a module', async () => {
  const watch = (layers: string): Hook => ({ name: 'watch', layers, onForward: () => {} });
  const all: Hook = { name: 'all', onForward: () => {} };
  expect((await errorOf(train(layered, [watch('shard')]))).message).toContain('Did you mean "shared"?');
  const error = await errorOf(train(recurrent, [all, watch('stp')]));
  expect(error.message).toContain(
    'Hook "watch" taps layers stp, but no layer of the model matches. Did you mean "step"?',
  );
});
