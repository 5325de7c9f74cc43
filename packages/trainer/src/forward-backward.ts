import type { Batch, TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import type { LoadedBatch } from './data/batches.js';
import { trainerError } from './errors.js';
import { lossAndGradients } from './gradients.js';
import type { BatchLoss } from './losses/batch-loss.js';
import { type BatchSums, batchSums } from './metrics/metric-totals.js';
import type { Metric } from './metrics/metrics.js';
import type { Parameter } from './model/trainable.js';
import type { Run } from './run.js';
import { isTensor, leaves, mapTree } from './tensors.js';

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
  run.updateTaps();
  try {
    const { loss, gradients } = random.during(() =>
      lossAndGradients(
        () => {
          // Kept from the tape's tidy, for the metrics.
          outputs = mapTree(ownOutputs(trainable.forward(item.batch.xs, true), item.batch), tf.keep);
          const scalar = lossOf(run, objective, outputs, item.batch);
          random.outside(() => run.fire('onBeforeBackward', () => ({ ...eventOf(item), loss: scalar })));
          return scalar;
        },
        trained.map(({ variable }) => variable),
      ),
    );
    try {
      // Metrics come after the tape is gone: they need no gradient.
      const sums = batchSums(objective.metrics, trainable.named(outputs!), item.batch, loss);
      return { sums, gradients: byPath(trained, gradients) };
    } catch (error) {
      tf.dispose([loss, gradients]);
      throw error;
    }
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
      const outputs = ownOutputs(trainable.forward(batch.xs, false), batch);
      const loss = lossOf(run, objective, outputs, batch);
      const sums = batchSums(objective.metrics, trainable.named(outputs), batch, loss);
      return { outputs, sums } as never;
    }),
  );
}

/**
 * Outputs, which are disposed after use, must be the forward pass's own: an input that was passed through or a
 * variable of the model is cloned.
 */
export function ownOutputs(outputs: TensorTree, { xs }: Batch): TensorTree {
  const inputs = leaves(xs);
  const isForeign = (tensor: tf.Tensor) => inputs.includes(tensor) || tensor.kept || 'assign' in tensor;
  return mapTree(outputs, (tensor) => (isForeign(tensor) ? tf.clone(tensor) : tensor));
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

function lossOf(run: Run, { loss }: Objective, outputs: TensorTree, batch: Batch): tf.Scalar {
  const { trainable } = run.parts;
  const scalar = trainable.loss ? trainable.loss(outputs, batch) : loss!(trainable.named(outputs), batch);
  if (!isTensor(scalar) || scalar.size !== 1) {
    const given = isTensor(scalar) ? `it has shape [${scalar.shape}]` : `loss() returned ${typeof scalar}`;
    throw trainerError(
      'BAD_LOSS',
      `The loss of a batch must be one number, as a tensor, but ${given}. Return tf.mean(...) of it.`,
    );
  }
  // A model may give its loss as one of its outputs, which do not live as long as the loss does.
  const own = leaves(outputs).includes(scalar) ? tf.clone(scalar) : scalar;
  const whole = own.rank === 0 ? own : tf.reshape(own, []);
  return trainable.regularization().reduce((total, penalty) => tf.add(total, penalty), whole as tf.Scalar);
}

function byPath(trained: readonly Parameter[], gradients: tf.NamedTensorMap): Record<string, tf.Tensor> {
  return Object.fromEntries(
    trained.flatMap(({ path, variable }) => {
      const gradient = gradients[variable.name];
      return gradient ? [[path, gradient]] : [];
    }),
  );
}
