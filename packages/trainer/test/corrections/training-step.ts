import { parameterPaths } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
import { expect } from 'vitest';
import type { Trainer, TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

export interface SampleBatch {
  xs: tf.Tensor | tf.Tensor[];
  ys: tf.Tensor | tf.Tensor[];
}

export interface Step {
  loss: number;
  /** By path. */
  gradients: Record<string, number[]>;
}

/** One training step by the Trainer. The learning rate is 0, so that the weights stay. */
export async function trainingStep(
  model: tfl.LayersModel,
  batch: SampleBatch,
  options: Partial<TrainerOptions> = {},
): Promise<Step> {
  const gradients: Step['gradients'] = {};
  const trainer = steadyTrainer(model, options);
  trainer.addHook({
    name: 'spy',
    onBeforeOptimizerStep: (_ctx, event) => {
      for (const [path, gradient] of Object.entries(event.gradients)) gradients[path] = valuesOf(gradient);
    },
  });
  try {
    return { loss: (await trainer.trainingStep(batch))!.loss, gradients };
  } finally {
    await trainer.close();
  }
}

const EPSILON = 2 ** -6;

/**
 * Judges the gradients of a training step by how the loss changes when a weight does; about `perWeight` elements of
 * each weight.
 */
export async function expectTrueGradients(
  model: tfl.LayersModel,
  batch: SampleBatch,
  { perWeight = 4, ...options }: Partial<TrainerOptions> & { perWeight?: number } = {},
): Promise<Step> {
  const step = await trainingStep(model, batch, options);
  const trainer = steadyTrainer(model, options);
  for (const { path, variable } of parameterPaths(model)) {
    const gradient = step.gradients[path] ?? [];
    const values = valuesOf(variable.read());
    const lossWith = async (index: number, change: number): Promise<number> => {
      const changed = values.map((value, i) => (i === index ? value + change : value));
      tf.tidy(() => void variable.write(tf.tensor(changed, variable.shape as number[])));
      return (await trainer.trainingStep(batch))!.loss;
    };
    for (let i = 0; i < gradient.length; i += Math.ceil(gradient.length / perWeight)) {
      const slope = ((await lossWith(i, EPSILON)) - (await lossWith(i, -EPSILON))) / (2 * EPSILON);
      const error = Math.abs(gradient[i]! - slope) / Math.max(1, Math.abs(slope));
      expect(error, `${path}[${i}]: gradient ${gradient[i]}, slope ${slope}`).toBeLessThan(2e-3);
    }
    await lossWith(0, 0);
  }
  await trainer.close();
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

function steadyTrainer(model: tfl.LayersModel, options: Partial<TrainerOptions>): Trainer {
  return quietTrainer({ model, optimizer: { name: 'sgd', lr: 0 }, ...options });
}
