import { parameterPaths } from '@hookline/layer-taps';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import { expect } from 'vitest';
import { correctLayers, correctTfjs, regularizationOf } from '../../src/index.js';

// Tests make tensors and models as they are loaded. RNNs need the methods that stock tfjs-layers lacks.
await useBackend();
correctTfjs();

export interface SampleBatch {
  xs: tf.Tensor | tf.Tensor[];
  ys: tf.Tensor | tf.Tensor[];
}

export interface Step {
  loss: number;
  /** By path. */
  gradients: Record<string, number[]>;
}

export interface StepOptions {
  backend?: string;
}

/** The loss and the gradients of a corrected training pass. The weights stay. */
export async function trainingStep(
  model: tfl.LayersModel,
  batch: SampleBatch,
  { backend = 'cpu' }: StepOptions = {},
): Promise<Step> {
  await useBackend(backend);
  const trained = new Set(model.trainableWeights.map((weight) => weight.read()));
  const learning = parameterPaths(model)
    .map(({ path, variable }) => ({ path, variable: variable.read() as tf.Variable }))
    .filter(({ variable }) => trained.has(variable));
  const lossOf = correctedLoss(model);
  return tf.tidy(() => {
    const variables = learning.map(({ variable }) => variable);
    const { value, grads } = tf.variableGrads(() => lossOf(batch), variables);
    const gradients = learning.map(({ path, variable }) => [path, valuesOf(grads[variable.name]!)]);
    return { loss: value.dataSync()[0]!, gradients: Object.fromEntries(gradients) };
  });
}

/** What a plain tfjs program writes: the mean squared errors of a corrected pass, and the regularisers. */
export function correctedLoss(model: tfl.LayersModel): (batch: SampleBatch) => tf.Scalar {
  const corrected = correctLayers(model);
  const penalties = regularizationOf(model);
  return ({ xs, ys }) => {
    const outputs = [corrected(true, () => model.apply(xs, { training: true }) as tf.Tensor)].flat();
    const targets = [ys].flat();
    const errors = outputs.map((output, i) => tf.losses.meanSquaredError(targets[i]!, output));
    return tf.addN([...errors, ...penalties()]) as tf.Scalar;
  };
}

/** What a corrected pass predicts. */
export async function predict(
  model: tfl.LayersModel,
  xs: tf.Tensor | tf.Tensor[],
  { backend = 'cpu' }: StepOptions = {},
): Promise<tf.Tensor[]> {
  await useBackend(backend);
  return [correctLayers(model)(false, () => model.apply(xs, { training: false }) as tf.Tensor)].flat();
}

const EPSILON = 2 ** -6;

/**
 * Judges the gradients of a training step by how the loss changes when a weight does; about `perWeight` elements of
 * each weight.
 */
export async function expectTrueGradients(
  model: tfl.LayersModel,
  batch: SampleBatch,
  { perWeight = 4, ...options }: StepOptions & { perWeight?: number } = {},
): Promise<Step> {
  const step = await trainingStep(model, batch, options);
  const loss = correctedLoss(model);
  for (const { path, variable } of parameterPaths(model)) {
    const gradient = step.gradients[path] ?? [];
    const values = valuesOf(variable.read());
    const lossWith = (index: number, change: number): number =>
      tf.tidy(() => {
        const changed = values.map((value, i) => (i === index ? value + change : value));
        variable.write(tf.tensor(changed, variable.shape as number[]));
        return loss(batch).dataSync()[0]!;
      });
    for (let i = 0; i < gradient.length; i += Math.ceil(gradient.length / perWeight)) {
      const slope = (lossWith(i, EPSILON) - lossWith(i, -EPSILON)) / (2 * EPSILON);
      const error = Math.abs(gradient[i]! - slope) / Math.max(1, Math.abs(slope));
      expect(error, `${path}[${i}]: gradient ${gradient[i]}, slope ${slope}`).toBeLessThan(2e-3);
    }
    lossWith(0, 0);
  }
  return step;
}

/** The loss that stock tfjs trains with. */
export async function stockLoss(
  model: tfl.LayersModel,
  { xs, ys }: SampleBatch,
  loss = 'meanSquaredError',
): Promise<number> {
  model.compile({ loss, optimizer: tf.train.sgd(0) });
  return (await model.trainOnBatch(xs, ys)) as number;
}

/** Mean squared error of what the model predicts. */
export function dataLoss(model: tfl.LayersModel, { xs, ys }: SampleBatch): number {
  return tf.tidy(() => {
    const error = tf.losses.meanSquaredError(ys as tf.Tensor, model.predict(xs) as tf.Tensor);
    return error.dataSync()[0]!;
  });
}

export function valuesOf(tensor: tf.Tensor): number[] {
  return [...tensor.dataSync()];
}
