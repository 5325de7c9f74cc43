import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';

/** Numbers between -1 and 1 that look random and are the same in every run. */
export function numbers(count: number, seed = 1): number[] {
  let state = seed * 2654435761;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32) * 2 - 1;
  });
}

/** Rows of `width` numbers. */
export function rows(count: number, width: number, seed = 1): number[][] {
  const flat = numbers(count * width, seed);
  return Array.from({ length: count }, (_, row) => flat.slice(row * width, (row + 1) * width));
}

/** Gives every weight a fixed value, so that two models are equal to the bit. */
export function fixWeights<Model extends tfl.LayersModel>(model: Model, seed = 1): Model {
  const weights = model.getWeights().map((weight, index) => {
    const values = numbers(weight.size, seed + index).map((value) => value * 0.8);
    return tf.tensor(values, weight.shape);
  });
  model.setWeights(weights);
  tf.dispose(weights);
  return model;
}

/** 3 inputs, a hidden layer of 4, 1 output. Paths: hidden/kernel, hidden/bias, out/kernel, out/bias. */
export function regressor(): tfl.Sequential {
  return fixWeights(
    tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 4, inputShape: [3], activation: 'tanh' }),
        tfl.layers.dense({ name: 'out', units: 1 }),
      ],
    }),
  );
}

export const REGRESSOR_PATHS: readonly string[] = ['hidden/kernel', 'hidden/bias', 'out/kernel', 'out/bias'];

/** Samples for `regressor`: the target is a smooth function of the inputs. */
export function regression(count: number, seed = 7): { xs: number[][]; ys: number[][] } {
  const xs = rows(count, 3, seed);
  return { xs, ys: xs.map(([a, b, c]) => [Math.sin(a! + 2 * b!) - 0.5 * c!]) };
}

/** 3 inputs, probabilities of 3 classes. */
export function classifier(activation: 'softmax' | 'linear' = 'softmax'): tfl.Sequential {
  return fixWeights(
    tfl.sequential({
      layers: [
        tfl.layers.dense({ name: 'hidden', units: 5, inputShape: [3], activation: 'relu' }),
        tfl.layers.dense({ name: 'out', units: 3, activation }),
      ],
    }),
  );
}

/** Samples for `classifier`, with class numbers and the same one-hot. */
export function classes(count: number, seed = 3): { xs: number[][]; labels: number[]; oneHot: number[][] } {
  const xs = rows(count, 3, seed);
  const labels = xs.map((row) => row.indexOf(Math.max(...row)));
  return { xs, labels, oneHot: labels.map((label) => [0, 1, 2].map((each) => Number(each === label))) };
}

/** All weights of a model as plain numbers, to compare models to the bit. */
export function weightsOf(model: { getWeights(): tf.Tensor[] }): number[][] {
  return model.getWeights().map((weight) => [...weight.dataSync()]);
}
