import { numbers } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import type { OptimizerOption } from '../src/create-optimizers.js';
import { createOptimizers } from '../src/create-optimizers.js';
import type { Optimizer, Parameter } from '../src/optimizer.js';

const STEPS = 50;

/** The last number never has a gradient: nothing may divide by it. */
export const START: readonly number[] = [0.3, -0.7, 1.5, 0.02, 0.5];

/** Gradients of very different sizes for each step, the same in every run. */
export const GRADIENTS: readonly number[][] = Array.from({ length: STEPS }, (_, step) =>
  numbers(4, step + 1).map((value, k) => value * [1, 0.1, 20, 1e-3][k]!),
).map((row) => [...row, 0]);

/** An optimizer over some parameters, without a trainer. */
export interface Driven<Values> {
  optimizer: Optimizer;
  values(): Values;
  /** One update for each of these gradients. */
  step(gradients: readonly Values[]): void;
}

export function driveAll(
  option: OptimizerOption,
  start: Readonly<Record<string, readonly number[]>>,
): Driven<Record<string, number[]>> {
  const parameters = Object.entries(start).map(
    ([path, values]): Parameter => ({ path, variable: tf.variable(tf.tensor1d([...values])) }),
  );
  const [optimizer] = createOptimizers(option, parameters) as [Optimizer];
  return {
    optimizer,
    values: () =>
      Object.fromEntries(parameters.map(({ path, variable }) => [path, [...variable.dataSync()]])),
    step: (gradients) => {
      for (const rows of gradients) {
        const tensors = Object.entries(rows).map(([path, row]): [string, tf.Tensor] => [
          path,
          tf.tensor1d(row),
        ]);
        optimizer.apply(Object.fromEntries(tensors));
        tf.dispose(tensors.map(([, tensor]) => tensor));
      }
    },
  };
}

/** The same over one parameter, `layer/kernel`. */
export function drive(option: OptimizerOption, start: readonly number[] = START): Driven<number[]> {
  const { optimizer, values, step } = driveAll(option, { [PATH]: start });
  return {
    optimizer,
    values: () => values()[PATH]!,
    step: (gradients) => step(gradients.map((row) => ({ [PATH]: row }))),
  };
}

const PATH = 'layer/kernel';
