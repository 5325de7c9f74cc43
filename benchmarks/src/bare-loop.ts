import * as tf from '@tensorflow/tfjs-core';
import type { Workload } from './workloads.js';

/** Training as one writes it with tfjs-core alone: no events, no metrics, no checks, nothing read. */
export function bareLoop(
  { createModel, loss }: Workload,
  batches: readonly { xs: tf.Tensor; ys: tf.Tensor }[],
  optimizer: tf.Optimizer = tf.train.adam(LEARNING_RATE),
): () => void {
  const model = createModel();
  const variables = model.trainableWeights.map((weight) => weight.read() as tf.Variable);
  return () => {
    for (const { xs, ys } of batches) {
      const { value, grads } = tf.variableGrads(
        () => tf.mean(loss(ys, model.apply(xs, { training: true }) as tf.Tensor)) as tf.Scalar,
        variables,
      );
      optimizer.applyGradients(variables.map(({ name }) => ({ name, tensor: grads[name]! })));
      value.dispose();
      tf.dispose(grads);
    }
  };
}

export const LEARNING_RATE = 0.001;
