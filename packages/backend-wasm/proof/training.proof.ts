import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { numbers, on } from '../test/backends.js';
import { distance } from '../test/compare.js';

const { layers } = tfl;

interface Model {
  readonly variables: tf.Variable[];
  /** All that a step changes: parameters and moving averages. */
  readonly state: tf.Variable[];
  forward(x: tf.Tensor): tf.Tensor;
}

const recurrent = { recurrentInitializer: 'glorotUniform' } as const;

/** Input shape, the kinds of integers in it, if it has some, and the model. */
const MODELS: Readonly<Record<string, { shape: number[]; kinds?: number; make: () => Model }>> = {
  MLP: {
    shape: [20],
    make: () =>
      layered([
        layers.dense({ units: 16, activation: 'relu' }),
        layers.dense({ units: 8, activation: 'tanh' }),
      ]),
  },
  'CNN with batch norm, linear before the pool': {
    shape: [10, 10, 2],
    make: () =>
      layered([
        layers.conv2d({ filters: 6, kernelSize: 3, padding: 'same', useBias: false }),
        layers.batchNormalization(),
        layers.maxPooling2d({ poolSize: 2 }),
        layers.conv2d({ filters: 5, kernelSize: 3, strides: 2, activation: 'elu' }),
        layers.flatten(),
      ]),
  },
  'depthwise separable CNN': {
    shape: [8, 8, 3],
    make: () =>
      layered([
        layers.depthwiseConv2d({ kernelSize: 3, padding: 'same', depthwiseInitializer: 'glorotUniform' }),
        layers.conv2d({ filters: 7, kernelSize: 1, activation: 'relu6' }),
        layers.averagePooling2d({ poolSize: 2 }),
        layers.flatten(),
      ]),
  },
  LSTM: {
    shape: [7, 5],
    make: () =>
      layered([
        layers.lstm({ units: 6, returnSequences: true, ...recurrent }),
        layers.lstm({ units: 5, ...recurrent }),
      ]),
  },
  GRU: {
    shape: [7, 5],
    make: () => layered([layers.gru({ units: 6, recurrentActivation: 'sigmoid', ...recurrent })]),
  },
  'embedding and dense': {
    shape: [6],
    kinds: 12,
    make: () =>
      layered([
        layers.embedding({ inputDim: 12, outputDim: 4 }),
        layers.flatten(),
        layers.dense({ units: 9, activation: 'relu' }),
      ]),
  },
  'transformer block': { shape: [5], kinds: 11, make: transformer },
};

function layered(stack: tfl.layers.Layer[]): Model {
  let model: tfl.Sequential | undefined;
  const build = (x: tf.Tensor) => {
    const input = layers.inputLayer({ inputShape: x.shape.slice(1) });
    return tfl.sequential({ layers: [input, ...stack, layers.dense({ units: 3 })] });
  };
  return {
    get variables() {
      return model!.trainableWeights.map((weight) => weight.read() as tf.Variable);
    },
    get state() {
      return model!.weights.map((weight) => weight.read() as tf.Variable);
    },
    forward: (x) => {
      model ??= build(x);
      return model.apply(x, { training: true }) as tf.Tensor;
    },
  };
}

function transformer(): Model {
  const [width, heads] = [8, 2];
  const weight = (...shape: number[]) => tf.variable(tf.zeros(shape));
  const embedding = weight(11, width);
  const [q, k, v, o] = [1, 2, 3, 4].map(() => weight(width, width)) as [
    tf.Variable,
    tf.Variable,
    tf.Variable,
    tf.Variable,
  ];
  const [wide, narrow, head] = [weight(width, 16), weight(16, width), weight(width, 3)];
  const norms = [layers.layerNormalization(), layers.layerNormalization()];
  for (const norm of norms) norm.apply(tf.zeros([1, 5, width]));
  const variables = [
    embedding,
    q,
    k,
    v,
    o,
    wide,
    narrow,
    head,
    ...norms.flatMap((norm) => norm.trainableWeights.map((each) => each.read() as tf.Variable)),
  ];
  const forward = (x: tf.Tensor) => {
    const [batch, time] = x.shape as [number, number];
    const times = (a: tf.Tensor, w: tf.Tensor) =>
      tf.reshape(tf.matMul(tf.reshape(a, [batch * time, -1]), w), [batch, time, -1]);
    const split = (a: tf.Tensor) =>
      tf.transpose(tf.reshape(a, [batch, time, heads, width / heads]), [0, 2, 1, 3]);
    let h: tf.Tensor = tf.gather(embedding, tf.cast(x, 'int32'));
    const a = norms[0]!.apply(h) as tf.Tensor;
    const attention = tf.softmax(tf.matMul(split(times(a, q)), split(times(a, k)), false, true));
    const mixed = tf.transpose(tf.matMul(attention, split(times(a, v))), [0, 2, 1, 3]);
    h = tf.add(h, times(tf.reshape(mixed, [batch, time, width]), o));
    h = tf.add(h, times(tf.relu(times(norms[1]!.apply(h) as tf.Tensor, wide)), narrow));
    return tf.mean(times(h, head), 1);
  };
  return { variables, state: variables, forward };
}

const STEPS = 12;

/**
 * Trains on a backend. Where states are given, each step begins with one of them, so that its gradients are compared
 * from equal weights: the losses of two runs drift apart by rounding alone, when a unit wakes up here and not there.
 */
function train(backend: 'cpu' | 'wasm', name: string, seed: number, begin?: readonly number[][][]) {
  return on(backend, () => {
    const { shape, kinds, make } = MODELS[name]!;
    const random = numbers(seed);
    const draw = (size: number, scale: number) =>
      Array.from({ length: size }, () => (random() - 0.5) * scale);
    const size = 6 * tf.util.sizeFromShape(shape);
    const x = tf.tensor(
      kinds ? Array.from({ length: size }, () => Math.floor(random() * kinds)) : draw(size, 3),
      [6, ...shape],
    );
    const targets = tf.tensor2d(draw(18, 2), [6, 3]);
    const model = make();
    tf.tidy(() => model.forward(x));
    for (const variable of model.state) {
      const isVariance = variable.name.includes('variance');
      variable.assign(
        tf.tensor(
          draw(variable.size, 1.2).map((value) => (isVariance ? 1 + value : value)),
          variable.shape,
        ),
      );
    }
    const states: number[][][] = [];
    const results: { loss: number; gradients: number[][] }[] = [];
    for (let step = 0; step < STEPS; step++) {
      if (begin)
        for (const [i, variable] of model.state.entries())
          variable.assign(tf.tensor(begin[step]![i]!, variable.shape));
      states.push(model.state.map((variable) => [...variable.dataSync()]));
      const { value, grads } = tf.variableGrads(
        () => tf.mean(tf.square(tf.sub(model.forward(x), targets))) as tf.Scalar,
        model.variables,
      );
      const gradients = model.variables.map((variable) => grads[variable.name]!);
      results.push({
        loss: value.dataSync()[0]!,
        gradients: gradients.map((gradient) => [...gradient.dataSync()]),
      });
      for (const [i, variable] of model.variables.entries())
        variable.assign(tf.sub(variable, tf.mul(gradients[i]!, 0.05)));
    }
    tf.dispose(model.state);
    return { states, results };
  });
}

describe('training follows cpu', () => {
  beforeAll(async () => {
    await enableTraining();
  }, 120_000);

  describe.each(Object.keys(MODELS))('%s', (name) => {
    it.each([1, 2, 3, 4])('over 12 steps, seed %i: losses and gradients from equal weights', async (seed) => {
      const { states, results: expected } = await train('cpu', name, seed);
      const { results: actual } = await train('wasm', name, seed, states);
      for (const [step, { loss, gradients }] of actual.entries()) {
        expect(Math.abs(loss - expected[step]!.loss)).toBeLessThan(1e-5 * Math.max(1, expected[step]!.loss));
        const flat = (all: number[][]) => all.flat();
        expect(distance(flat(gradients), flat(expected[step]!.gradients))).toBeLessThan(5e-5);
      }
      expect(actual.at(-1)!.loss).toBeLessThan(actual[0]!.loss);
    });
  });
});
