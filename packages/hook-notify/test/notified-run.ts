import type { Hook, TensorTree, TrainableModule } from '@hookline/hook-api';
import { collectingLogger, type LogLine } from '@hookline/test-support';
import { type FitResult, Trainer, type TrainerOptions } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';

export interface NotifiedRun {
  trainer: Trainer;
  fit(): Promise<FitResult>;
  /** Everything that was logged, by the trainer and all hooks. */
  logged: LogLine[];
  /** The warnings and errors of the notify hook. */
  warnings(): string[];
  /** The model's only weight after each epoch of training. */
  weights: number[];
}

/** A real run of a model that learns, whose validation losses are the given ones. */
export function notifiedRun(
  hooks: TrainerOptions['hooks'],
  { losses = [0.5], ...options }: { losses?: readonly number[] } & Partial<TrainerOptions> = {},
): NotifiedRun {
  const logged: LogLine[] = [];
  const weights: number[] = [];
  const { module, weight } = scriptedModule(losses);
  const recorder: Hook = { name: 'recorder', onEpochEnd: () => void weights.push(weight()) };
  const trainer = new Trainer({
    model: module,
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [recorder, ...(hooks as Hook[])],
    discover: false,
    backend: 'cpu',
    runsDir: false,
    seed: 1,
    logger: collectingLogger(logged),
    ...options,
  });
  const data = { xs: tf.tensor2d([[1], [2]]), ys: tf.tensor2d([[2], [4]]) };
  return {
    trainer,
    logged,
    weights,
    warnings: () =>
      logged
        .filter(({ level, fields }) => fields.hook === 'notify' && (level === 'warn' || level === 'error'))
        .map(({ message }) => message),
    fit: () => trainer.fit({ train: data, validation: data, epochs: losses.length, batchSize: 1 }),
  };
}

function scriptedModule(losses: readonly number[]): { module: TrainableModule; weight: () => number } {
  const variable = tf.variable(tf.scalar(0));
  let training = false;
  let batch = 0;
  const module: TrainableModule = {
    parameters: () => ({ weight: variable }),
    forward: (xs, options) => {
      training = options.training;
      return tf.mul(xs as tf.Tensor, variable);
    },
    // Two batches in each validation, and both have its loss.
    loss: (outputs: TensorTree, { ys }) =>
      training
        ? tf.losses.meanSquaredError(ys as tf.Tensor, outputs as tf.Tensor)
        : tf.scalar(losses[Math.floor(batch++ / 2)]!),
  };
  return { module, weight: () => variable.dataSync()[0]! };
}
