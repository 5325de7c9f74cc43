import * as tf from '@tensorflow/tfjs-core';
import type { OptimizerOption } from '../../src/index.js';
import type { Parameter } from '../../src/model/trainable.js';
import { createOptimizers } from '../../src/optimizers/create-optimizers.js';
import type { Optimizer } from '../../src/optimizers/optimizer.js';
import { numbers } from '../support/models.js';

export const STEPS = 50;

/** The last number never has a gradient: nothing may divide by it. */
export const START: readonly number[] = [0.3, -0.7, 1.5, 0.02, 0.5];

/** Gradients of very different sizes for each step, the same in every run. */
export const GRADIENTS: readonly number[][] = Array.from({ length: STEPS }, (_, step) =>
  numbers(4, step + 1).map((value, k) => value * [1, 0.1, 20, 1e-3][k]!),
).map((row) => [...row, 0]);

export interface Driven {
  optimizer: Optimizer;
  variable: tf.Variable;
  values(): number[];
  /** One update for each of these gradients. */
  step(gradients: readonly (readonly number[])[]): void;
}

/** One optimizer over one parameter, `layer/kernel`, without a trainer. */
export function drive(option: OptimizerOption, start: readonly number[] = START): Driven {
  const variable = tf.variable(tf.tensor1d([...start]));
  const parameter: Parameter = { path: 'layer/kernel', variable };
  const [optimizer] = createOptimizers(option, [parameter]) as [Optimizer];
  return {
    optimizer,
    variable,
    values: () => [...variable.dataSync()],
    step: (gradients) => {
      for (const row of gradients) {
        const gradient = tf.tensor1d([...row]);
        optimizer.apply({ 'layer/kernel': gradient });
        gradient.dispose();
      }
    },
  };
}
