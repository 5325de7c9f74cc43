import type { Hook, TensorTree, TrainableModule } from '@hookline/hook-api';
import { collectingLogger, type LogLine, TEST_BACKEND } from '@hookline/test-support';
import { type FitResult, Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';

export interface ScriptedRun {
  trainer: Trainer;
  fit(options?: { epochs?: number; validation?: boolean; resume?: string }): Promise<FitResult>;
  validate(): Promise<unknown>;
  /** What the run has logged so far. */
  said(): string[];
  /** The model's only weight after each epoch of training, and now. */
  weightAfterEpoch: number[];
  weight(): number;
}

/**
 * A real run of a real model that learns, with the given validation losses: a check sees exactly these values.
 */
export function scriptedRun(validationLosses: readonly number[], ...hooks: Hook[]): ScriptedRun {
  const lines: LogLine[] = [];
  const weightAfterEpoch: number[] = [];
  const { module, weight } = scriptedModule(validationLosses);
  const recorder: Hook = {
    name: 'weight-recorder',
    onValidationStart: () => void weightAfterEpoch.push(weight()),
  };
  const trainer = new Trainer({
    model: module,
    optimizer: { name: 'sgd', lr: 0.05 },
    hooks: [recorder, ...hooks],
    discover: false,
    backend: TEST_BACKEND,
    runsDir: false,
    seed: 1,
    logger: collectingLogger(lines),
  });
  const data = { xs: tf.tensor2d([[1], [2]]), ys: tf.tensor2d([[2], [4]]) };
  return {
    trainer,
    said: () => lines.map(({ message }) => message),
    weight,
    weightAfterEpoch,
    validate: () => trainer.validate({ data }),
    fit: ({ epochs = validationLosses.length, validation = true, resume } = {}) =>
      trainer.fit({
        train: data,
        ...(validation && { validation: data }),
        ...(resume !== undefined && { resume }),
        epochs,
      }),
  };
}

function scriptedModule(losses: readonly number[]): { module: TrainableModule; weight: () => number } {
  const variable = tf.variable(tf.scalar(0));
  let training = false;
  let check = 0;
  const module: TrainableModule = {
    parameters: () => ({ weight: variable }),
    forward: (xs, options) => {
      training = options.training;
      return tf.mul(xs as tf.Tensor, variable);
    },
    loss: (outputs: TensorTree, { ys }) =>
      training
        ? tf.losses.meanSquaredError(ys as tf.Tensor, outputs as tf.Tensor)
        : tf.scalar(losses[check++]!),
  };
  return { module, weight: () => variable.dataSync()[0]! };
}
