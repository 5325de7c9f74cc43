// What the page and Node both run: training with model.fit of tfjs, from weights and data that are the same everywhere.
import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, type Sequential, sequential } from '@tensorflow/tfjs-layers';

const MODELS = {
  CNN: {
    shape: [12, 12, 1],
    make: (): Sequential =>
      sequential({
        layers: [
          layers.conv2d({ filters: 6, kernelSize: 3, activation: 'relu', inputShape: [12, 12, 1] }),
          layers.maxPooling2d({ poolSize: 2 }),
          layers.conv2d({ filters: 8, kernelSize: 3, padding: 'same', useBias: false }),
          layers.batchNormalization(),
          layers.depthwiseConv2d({ kernelSize: 3, strides: 2 }),
          layers.flatten(),
          layers.dense({ units: 3, activation: 'softmax' }),
        ],
      }),
  },
  LSTM: {
    shape: [10, 4],
    make: (): Sequential =>
      sequential({
        layers: [
          layers.lstm({ units: 12, inputShape: [10, 4], recurrentInitializer: 'glorotUniform' }),
          layers.dense({ units: 3, activation: 'softmax' }),
        ],
      }),
  },
} as const;

export type ModelName = keyof typeof MODELS;

export interface Trained {
  /** One for each epoch. */
  losses: number[];
  /** Of all weights, in the order of the model. */
  weights: number[];
}

/** A model whose weights come from numbers that need no rounding, so that no machine makes others. */
export function model(name: ModelName): LayersModel {
  const made = MODELS[name].make();
  const random = numbers(7);
  made.setWeights(
    made.weights.map(({ shape, originalName }) => {
      const size = tf.util.sizeFromShape(shape as number[]);
      const isVariance = originalName.includes('variance');
      const values = Array.from({ length: size }, () => (isVariance ? 1 + random() : random() - 0.5));
      return tf.tensor(values, shape as number[]);
    }),
  );
  return made;
}

/** Four epochs on the backend that is active. */
export async function train(trained: LayersModel, name: ModelName): Promise<Trained> {
  trained.compile({ optimizer: tf.train.adam(0.01), loss: 'categoricalCrossentropy' });
  const { xs, ys } = batch(name, 96);
  const { history } = await trained.fit(xs, ys, { epochs: 4, batchSize: 16, shuffle: false, verbose: 0 });
  tf.dispose([xs, ys]);
  return { losses: history.loss as number[], weights: weightsOf(trained) };
}

/** Of the mean loss of a batch, by every trainable weight. */
export function gradients(name: ModelName): number[] {
  return tf.tidy(() => {
    const made = model(name);
    const { xs, ys } = batch(name, 16);
    const variables = made.trainableWeights.map((weight) => weight.read() as tf.Variable);
    const { grads } = tf.variableGrads(() => {
      const outputs = made.apply(xs, { training: true }) as tf.Tensor;
      return tf.neg(tf.mean(tf.sum(tf.mul(ys, tf.log(outputs)), -1)));
    }, variables);
    const values = variables.flatMap((variable) => [...grads[variable.name]!.dataSync()]);
    made.dispose();
    return values;
  });
}

function weightsOf(trained: LayersModel): number[] {
  return trained.getWeights().flatMap((weight) => [...weight.dataSync()]);
}

/** The class is told by where the numbers are large. */
function batch(name: ModelName, size: number): { xs: tf.Tensor; ys: tf.Tensor } {
  const { shape } = MODELS[name];
  const random = numbers(11);
  const each = tf.util.sizeFromShape([...shape]);
  const kinds = Array.from({ length: size }, (_, i) => i % 3);
  const isLarge = (position: number, kind: number) => Math.floor((3 * position) / each) === kind;
  const rows = kinds.flatMap((kind) =>
    Array.from({ length: each }, (_, i) => random() + (isLarge(i, kind) ? 0.5 : 0)),
  );
  return {
    xs: tf.tensor(rows, [size, ...shape]),
    ys: tf.oneHot(tf.tensor1d(kinds, 'int32'), 3, 1, 0, 'float32'),
  };
}

/** From 0 to 1, in steps that float32 holds exactly. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 12) / 2 ** 20;
  };
}
