import type { Hook, TensorTree, TrainableModule } from '@hookline/hook-api';
import { collectingLogger, type LogLine } from '@hookline/test-support/collecting-logger';
import type { FitOptions, FitResult, Trainer, TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { quietTrainer } from './quiet-trainer.js';

export interface ScriptedLosses {
  trainer: Trainer;
  /** Trains as many epochs as there are losses, and validates after each. */
  fit(options?: Partial<FitOptions>): Promise<FitResult>;
  /** Everything that the run and its hooks have logged. */
  logged: LogLine[];
  /** What one hook has logged as a warning or an error; without a name, all of them. */
  warnings(hook?: string): string[];
  /** The model's only weight, at the start of each validation. */
  weights: number[];
  weight(): number;
}

export interface ScriptedOptions extends Partial<TrainerOptions> {
  /** 1 or 2 samples are one batch or two: a validation of two batches has its loss in both. Default 2. */
  batchSize?: 1 | 2;
}

/** A real run of a model that learns, whose validation losses are the given ones. */
export function scriptedLosses(
  losses: readonly number[],
  hooks: TrainerOptions['hooks'],
  { batchSize = 2, ...options }: ScriptedOptions = {},
): ScriptedLosses {
  const logger = collectingLogger();
  const weights: number[] = [];
  const { module, weight } = scriptedModule(losses, 2 / batchSize);
  const recorder: Hook = { name: 'weight-recorder', onValidationStart: () => void weights.push(weight()) };
  const trainer = quietTrainer({
    model: module,
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [recorder, ...(hooks as Hook[])],
    logger,
    ...options,
  });
  const data = { xs: tf.tensor2d([[1], [2]]), ys: tf.tensor2d([[2], [4]]) };
  return {
    trainer,
    logged: logger.lines,
    weights,
    weight,
    warnings: (hook) =>
      logger.lines
        .filter(
          ({ level, fields }) => /warn|error/.test(level) && (hook === undefined || fields.hook === hook),
        )
        .map(({ message }) => message),
    fit: (plan) => trainer.fit({ train: data, validation: data, epochs: losses.length, batchSize, ...plan }),
  };
}

function scriptedModule(
  losses: readonly number[],
  batchesPerValidation: number,
): { module: TrainableModule; weight: () => number } {
  const variable = tf.variable(tf.scalar(0));
  let isTraining = false;
  let batch = 0;
  const module: TrainableModule = {
    parameters: () => ({ weight: variable }),
    forward: (xs, { training }) => {
      isTraining = training;
      return tf.mul(xs as tf.Tensor, variable);
    },
    loss: (outputs: TensorTree, { ys }) =>
      isTraining
        ? tf.losses.meanSquaredError(ys as tf.Tensor, outputs as tf.Tensor)
        : tf.scalar(losses[Math.floor(batch++ / batchesPerValidation)]!),
  };
  return { module, weight: () => variable.dataSync()[0]! };
}
