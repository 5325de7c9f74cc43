import type * as tf from '@tensorflow/tfjs-core';
import type * as tfl from '@tensorflow/tfjs-layers';
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

export function valuesOf(tensor: tf.Tensor): number[] {
  return [...tensor.dataSync()];
}

function steadyTrainer(model: tfl.LayersModel, options: Partial<TrainerOptions>): Trainer {
  return quietTrainer({ model, optimizer: { name: 'sgd', lr: 0 }, ...options });
}
