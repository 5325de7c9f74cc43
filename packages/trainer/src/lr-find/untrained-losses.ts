import type { LoadedBatch } from '@hookline/data';
import { readNumbers } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { checkBatch } from '../loop/check-batch.js';
import { forwardBackward } from '../loop/forward-backward.js';
import type { FitPlan } from '../loop/plan.js';
import { disposeBatch } from '../loop/transform-batch.js';
import { disposeSums } from '../objective/metrics/batch-sums.js';
import type { Run } from '../run/run.js';

export interface UntrainedLosses {
  /** The loss of a batch with the weights as they were. The batch is disposed only when this fails. */
  lossOf(item: LoadedBatch, plan: FitPlan): Promise<number>;
  dispose(): void;
}

/**
 * Some batches are harder than others, by more than one step can change. Each is compared with what the weights
 * of the start make of it, so that what remains is the work of the learning rate.
 */
export function untrainedLosses(run: Run): UntrainedLosses {
  const { parameters, shapes } = run.parts.trainable;
  const clones = () => parameters.map(({ variable }) => tf.clone<tf.Tensor>(variable));
  const assign = (values: readonly tf.Tensor[]) => {
    for (const [index, { variable }] of parameters.entries()) variable.assign(values[index]!);
  };
  const atStart = clones(); // costs no copy: the data is shared until the variable gets new data
  return {
    lossOf: async (item: LoadedBatch, { objective }: FitPlan): Promise<number> => {
      const now = clones();
      try {
        checkBatch(item, shapes);
        assign(atStart);
        const { sums, gradients } = forwardBackward(run, objective, item);
        const [[loss]] = (await readNumbers([sums.loss])) as [[number]];
        disposeSums(sums);
        tf.dispose(gradients);
        return loss;
      } catch (error) {
        disposeBatch(item);
        throw error;
      } finally {
        assign(now);
        tf.dispose(now);
      }
    },
    dispose: () => tf.dispose(atStart),
  };
}
