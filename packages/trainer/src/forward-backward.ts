import type { Batch, Gradients, TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { LoadedBatch } from './data/batches.js';
import { trainerError } from './errors.js';
import { lossAndGradients } from './gradients.js';
import type { BatchLoss } from './losses/batch-loss.js';
import { type BatchSums, batchSums } from './metrics/metric-totals.js';
import type { Metric } from './metrics/metrics.js';
import type { Run } from './run.js';
import { isTensor, leaves } from './tensors.js';

export interface Objective {
  /** The trainer's loss; absent when the model has one of its own. */
  loss: BatchLoss | undefined;
  metrics: readonly Metric[];
}

/** What forward and backward of one batch gave; all tensors belong to the caller. */
export interface BatchResult {
  sums: BatchSums;
  gradients: Record<string, tf.Tensor>;
}

/**
 * Forward and backward, as one synchronous section whose randomness is the run's own. `onForward`,
 * `transformActivation` and `onBeforeBackward` are called from within, on the tape.
 */
export function forwardBackward(run: Run, objective: Objective, item: LoadedBatch): BatchResult {
  const { trainable, random } = run.parts;
  const trained = run.trained;
  let outputs: TensorTree | undefined;
  try {
    const { loss, gradients } = random.during(() =>
      lossAndGradients(
        () => {
          outputs = kept(trainable.forward(item.batch.xs, true), item.batch);
          const scalar = lossOf(run, objective, outputs, item.batch);
          random.outside(() => run.fire('onBeforeBackward', () => ({ ...eventOf(item), loss: scalar })));
          return scalar;
        },
        trained.map(({ variable }) => variable),
      ),
    );
    // Metrics come after the tape is gone: they need no gradient.
    const sums = batchSums(objective.metrics, outputs!, item.batch, loss);
    return {
      sums,
      gradients: Object.fromEntries(
        trained.flatMap(({ path, variable }) => {
          const gradient = gradients[variable.name];
          return gradient ? [[path, gradient]] : [];
        }),
      ),
    };
  } finally {
    tf.dispose(outputs);
  }
}

/** Forward only: outputs and, where there are targets, what the batch came to. All tensors belong to the caller. */
export function forwardOnly(
  run: Run,
  objective: Objective,
  batch: Batch,
): { outputs: TensorTree; sums: BatchSums } {
  const { trainable, random } = run.parts;
  return random.during(() =>
    tf.tidy(() => {
      const outputs = trainable.forward(batch.xs, false);
      const sums = batchSums(objective.metrics, outputs, batch, lossOf(run, objective, outputs, batch));
      return { outputs, sums } as never;
    }),
  );
}

/** The fields that every event about a batch carries. */
export function eventOf({
  batch,
  batchIndex,
  loaderIndex,
  loaderName,
}: LoadedBatch): Omit<LoadedBatch, 'owned'> {
  return { batch, batchIndex, loaderIndex, loaderName };
}

export function disposeGradients(gradients: Gradients): void {
  tf.dispose(Object.values(gradients));
}

function lossOf(run: Run, { loss }: Objective, outputs: TensorTree, batch: Batch): tf.Scalar {
  const { trainable } = run.parts;
  const scalar = (trainable.loss ?? loss)!(outputs, batch);
  if (scalar.size !== 1) {
    throw trainerError(
      'BAD_LOSS',
      `The loss of a batch must be one number, but it has shape [${scalar.shape}]. Return tf.mean(...) of it.`,
    );
  }
  const whole = scalar.rank === 0 ? scalar : tf.reshape(scalar, []);
  return trainable.regularization().reduce((total, penalty) => tf.add(total, penalty), whole as tf.Scalar);
}

/** Saves the outputs from the tape's tidy. What is not the forward pass's own is cloned, so that it can be disposed. */
function kept(outputs: TensorTree, { xs }: Batch): TensorTree {
  const inputs = leaves(xs);
  const keep = (tensor: tf.Tensor) =>
    tf.keep(inputs.includes(tensor) || tensor.kept ? tf.clone(tensor) : tensor);
  if (isTensor(outputs)) return keep(outputs);
  if (Array.isArray(outputs)) return outputs.map(keep);
  return Object.fromEntries(Object.entries(outputs).map(([name, tensor]) => [name, keep(tensor)]));
}
