import type { LoadedBatch } from '@hookline/data';
import type { Batch, TensorTree } from '@hookline/hook-api';
import { isHostBackend, isTensor, leaves, mapTree } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import type { Trainable } from '../model/trainable.js';
import type { BatchLoss, BatchLosses } from '../objective/losses/batch-loss.js';
import { checkTargets } from '../objective/losses/check-targets.js';
import { namesOf } from '../objective/losses/outputs-and-targets.js';
import { type BatchSums, batchSums, type Series } from '../objective/metrics/batch-sums.js';
import type { MetricsFor } from '../objective/metrics/output-metrics.js';
import type { Run } from '../run/run.js';
import { lossAndGradients } from './gradients.js';

export interface Objective {
  /** The trainer's loss; absent when the model has one of its own. */
  loss: BatchLoss | undefined;
  metricsFor: MetricsFor;
  /** What each batch will come to, as far as it is known before the first. */
  metrics: readonly Series[];
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
  let outputLosses: BatchLosses['outputs'] = {};
  run.updateTaps();
  try {
    const { loss, gradients } = random.during(() =>
      lossAndGradients(
        () => {
          outputs = ownOutputs(trainable.forward(item.batch.xs, true), item.batch);
          // From the tape's tidy, for the metrics; a step without any holds no more than it must.
          if (objective.metricsFor(namesOf(trainable.named(outputs))).length > 0) mapTree(outputs, tf.keep);
          const { total, outputs: each } = lossesOf(run, objective, outputs, item);
          outputLosses = mapTree(each, tf.keep) as BatchLosses['outputs'];
          random.outside(() => run.fire('onBeforeBackward', () => ({ ...eventOf(item), loss: total })));
          return total;
        },
        trained.map(({ variable }) => variable),
      ),
    );
    try {
      // Metrics come after the tape is gone: they need no gradient.
      const losses = { total: loss, outputs: outputLosses };
      const sums = random.during(() =>
        batchSums(objective.metricsFor, trainable.named(outputs!), item.batch, losses),
      );
      return { sums, gradients: byPath(trained, gradients) };
    } catch (error) {
      tf.dispose([loss, gradients]);
      throw error;
    }
  } finally {
    tf.dispose([outputs, outputLosses] as tf.TensorContainer);
  }
}

/** Forward only: outputs and, where there are targets, what the batch came to. All tensors belong to the caller. */
export function forwardOnly(
  run: Run,
  objective: Objective,
  item: LoadedBatch,
): { outputs: TensorTree; sums: BatchSums } {
  const { trainable, random } = run.parts;
  return random.during(() =>
    tf.tidy(() => {
      const { batch } = item;
      const outputs = ownOutputs(trainable.forward(batch.xs, false), batch);
      const losses = lossesOf(run, objective, outputs, item);
      const sums = batchSums(objective.metricsFor, trainable.named(outputs), batch, losses);
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

function lossesOf(run: Run, { loss }: Objective, outputs: TensorTree, item: LoadedBatch): BatchLosses {
  const { trainable } = run.parts;
  const { batch } = item;
  if (trainable.loss)
    return { total: wholeLoss(trainable, outputs, trainable.loss(outputs, batch)), outputs: {} };
  const named = trainable.named(outputs);
  if (batch.ys && loss!.judgesTargets && isChecked(run, item)) {
    checkTargets(loss!, named, batch.ys, `Batch ${item.batchIndex} of loader "${item.loaderName}"`);
  }
  const losses = loss!.of(named, batch);
  return { total: wholeLoss(trainable, outputs, losses.total), outputs: losses.outputs };
}

/** Targets are looked at in the first epoch; where that is a transfer from the device, in its first batch only. */
function isChecked({ state }: Run, { batchIndex }: LoadedBatch): boolean {
  return state.epoch === 0 && (batchIndex === 0 || isHostBackend());
}

/** The loss of the outputs and what the layers add to it. */
export function wholeLoss(trainable: Trainable, outputs: TensorTree, scalar: unknown): tf.Scalar {
  if (!isTensor(scalar) || scalar.size !== 1) {
    const given = isTensor(scalar) ? `it has shape [${scalar.shape}]` : `loss() returned ${typeof scalar}`;
    throw trainerError(
      'BAD_LOSS',
      `The loss of a batch must be one number, as a tensor, but ${given}. Return tf.mean(...) of it.`,
    );
  }
  // A model may give its loss as one of its outputs, which do not live as long as the loss does.
  const own = leaves(outputs).includes(scalar) ? tf.clone(scalar) : scalar;
  const whole = (own.rank === 0 ? own : tf.reshape(own, [])) as tf.Scalar;
  return trainable.regularization().reduce((total, penalty) => tf.add(total, penalty), whole);
}

function byPath(trained: readonly Parameter[], gradients: tf.NamedTensorMap): Record<string, tf.Tensor> {
  return Object.fromEntries(
    trained.flatMap(({ path, variable }) => {
      const gradient = gradients[variable.name];
      return gradient ? [[path, gradient]] : [];
    }),
  );
}
