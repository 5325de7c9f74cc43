import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { fusedOperation } from '../../src/engine/operations.js';
import { numbers } from '../backends.js';
import type { Steps } from '../steps.js';

type Layers = tfl.layers.Layer[];

export const dense = (units: number, more: object = {}) =>
  tfl.layers.dense({ units, kernelInitializer: tfl.initializers.glorotUniform({ seed: units }), ...more });

/** Numbers that are the same in every run, and others in every step. */
export function random(shape: number[], step = 0, low = -1, high = 1): tf.Tensor {
  const next = numbers(step * 31 + shape.length);
  const values = Array.from({ length: tf.util.sizeFromShape(shape) }, () => low + next() * (high - low));
  return tf.tensor(values, shape);
}

interface ModelOptions {
  layers?: () => Layers;
  /** The input of a step, made in it. */
  input?: (step: number) => tf.Tensor;
  /** From the outputs to the loss. */
  loss?: (outputs: tf.Tensor, step: number, model: tfl.Sequential) => tf.Scalar;
  before?: (step: number, model: tfl.Sequential) => void;
  variables?: (all: tf.Variable[], step: number) => tf.Variable[];
}

const twoDense = (): Layers => [dense(6, { activation: 'tanh', inputShape: [4] }), dense(2)];
export const squares = (outputs: tf.Tensor): tf.Scalar => tf.mean(tf.square(outputs));

/** Steps of a model of tfjs-layers. */
export function model(options: ModelOptions = {}): () => Steps {
  const { layers = twoDense, input = (step) => random([3, 4], step), loss = squares } = options;
  return () => {
    const sequential = tfl.sequential({ layers: layers() });
    const all = sequential.trainableWeights.map((weight) => weight.read() as tf.Variable);
    return {
      variables: (step) => options.variables?.(all, step) ?? all,
      loss: (step) => loss(sequential.apply(input(step), { training: true }) as tf.Tensor, step, sequential),
      before: (step) => options.before?.(step, sequential),
      dispose: () => {
        sequential.dispose();
      },
    };
  };
}

/** Steps of functions of tf, over variables of these shapes. */
export function functions(
  shapes: number[][],
  loss: (variables: tf.Tensor[], step: number) => tf.Tensor,
  order: (variables: tf.Variable[], step: number) => tf.Variable[] = (variables) => variables,
): () => Steps {
  return () => {
    const variables = shapes.map((shape, i) => tf.tidy(() => tf.variable(random(shape, i + 1))));
    return {
      variables: (step) => order(variables, step),
      loss: (step) => {
        const result = loss(variables, step);
        return (result.rank === 0 ? result : tf.mean(tf.square(result))) as tf.Scalar;
      },
      dispose: () => tf.dispose(variables),
    };
  };
}

export const scaled = (factor: () => number) =>
  tf.customGrad((x) => ({
    value: tf.clone(x as tf.Tensor),
    gradFunc: (dy) => tf.mul(dy, factor()) as never,
  }));

/** Half of a sum of squares, the gradient of which is x where dy is 1. */
export function halfSquare(x: tf.Tensor): tf.Tensor {
  return fusedOperation(
    { x },
    (save) => {
      save([x]);
      return tf.mul(tf.sum(tf.square(x)), 0.5);
    },
    (_dy, [saved]) => ({ x: () => saved! }),
  );
}

/** The norm of the gradient of the outputs with respect to the input. */
export function penalty(sequential: tfl.Sequential): tf.Scalar {
  const gradient = tf.grad((x: tf.Tensor) => tf.sum(sequential.apply(x, { training: true }) as tf.Tensor));
  return tf.sum(tf.square(gradient(random([3, 4]))));
}
