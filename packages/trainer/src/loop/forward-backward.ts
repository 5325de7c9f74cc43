import type { LoadedBatch } from '@hookline/data';
import type { Batch, Hook, LossEvent, OptimizerView, TensorTree } from '@hookline/hook-api';
import { isHostBackend, isTensor, leaves, mapTree } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { kindOf, trainerError } from '../errors.js';
import { ownOutputs } from '../model/own-outputs.js';
import type { Trainable } from '../model/trainable.js';
import type { BatchLosses } from '../objective/losses/batch-loss.js';
import { checkTargets } from '../objective/losses/check-targets.js';
import { namesOf } from '../objective/losses/outputs-and-targets.js';
import { type BatchSums, batchSums } from '../objective/metrics/batch-sums.js';
import { type Logged, NOTHING_LOGGED } from '../objective/metrics/logged-values.js';
import type { Objective } from '../objective/objective.js';
import { frozen, frozenBatch } from '../run/read-only.js';
import type { Run } from '../run/run.js';
import { lossAndGradients } from './tape.js';

/** What forward and backward of one batch gave; all tensors belong to the caller. */
export interface BatchResult {
  readonly sums: BatchSums;
  gradients: Record<string, tf.Tensor>;
  /** Of the model; there when they were asked for. */
  readonly outputs: TensorTree | undefined;
}

/**
 * Forward and backward, as one synchronous section whose randomness is the run's own. `onForward`,
 * `transformActivation`, `transformLoss` and `onBeforeBackward` are called from within, on the tape.
 */
export function forwardBackward(
  run: Run,
  objective: Objective,
  item: LoadedBatch,
  keepsOutputs = false,
): BatchResult {
  const { trainable, random } = run.parts;
  const trained = run.trained;
  let outputs: TensorTree | undefined;
  let outputLosses: BatchLosses['outputs'] = {};
  let logged: Logged = NOTHING_LOGGED;
  let isWhole = false;
  run.updateTaps();
  try {
    const { loss, gradients } = random.during(() =>
      lossAndGradients(
        () => {
          run.phase('forward');
          outputs = ownOutputs(trainable.forward(item.batch.xs, true), item.batch);
          // Taken from the tape's tidy, for the metrics and for hooks; a step without any holds no more than it must.
          const isMeasured = objective.metricsFor(namesOf(trainable.named(outputs))).length > 0;
          if (keepsOutputs || isMeasured) mapTree(outputs, tf.keep);
          const losses = lossesOf(run, objective, outputs, item);
          outputLosses = mapTree(losses.outputs, tf.keep) as BatchLosses['outputs'];
          return lossForBackward(run, item, losses.total, outputs);
        },
        trained.map(({ variable }) => variable),
      ),
    );
    try {
      // Metrics come after the tape is gone: they need no gradient.
      const losses = { total: loss, outputs: outputLosses };
      logged = run.logged.take();
      const sums = random.during(() =>
        batchSums(objective.metricsFor, trainable.named(outputs!), item.batch, losses, logged),
      );
      isWhole = true;
      return {
        sums,
        gradients: byPath(trained, gradients),
        outputs: keepsOutputs ? outputs : undefined,
      };
    } catch (error) {
      tf.dispose([loss, gradients, logged]);
      throw error;
    }
  } finally {
    run.logged.dispose();
    const isHandedOver = keepsOutputs && isWhole;
    tf.dispose((isHandedOver ? [outputLosses] : [outputs, outputLosses]) as tf.TensorContainer);
  }
}

/** The loss as the hooks leave it: the forward pass ends here, on the tape. */
export function lossForBackward(
  run: Run,
  item: LoadedBatch,
  loss: tf.Scalar,
  outputs: TensorTree,
  optimizer?: OptimizerView,
): tf.Scalar {
  const { random } = run.parts;
  const total = random.outside(() => transformLoss(run, item, loss, outputs, optimizer));
  random.outside(() => run.fire('onBeforeBackward', () => ({ ...eventOf(item), loss: total, optimizer })));
  run.phase('backward');
  return total;
}

/** Lets the hooks replace the loss, on the tape. What they make belongs to the tape's tidy. */
function transformLoss(
  run: Run,
  item: LoadedBatch,
  loss: tf.Scalar,
  outputs: TensorTree,
  optimizer: OptimizerView | undefined,
): tf.Scalar {
  const { hooks } = run.parts;
  if (!hooks.due('transformLoss')) return loss;
  const accept = (event: LossEvent, result: tf.Scalar, { name }: Hook): LossEvent => {
    if (isTensor(result) && result.size === 1) return frozen({ ...event, loss: scalarOf(result, outputs) });
    throw trainerError(
      'BAD_TRANSFORM',
      `transformLoss of hook "${name}" returned ${kindOf(result)}, expected one number, as a tensor. Return tf.mean(...) of it.`,
    );
  };
  const event = frozen({ ...eventOf(item), loss, outputs, optimizer });
  return hooks.transform('transformLoss', event, accept).loss;
}

/** Forward only: outputs and, where there are targets, the sums of the batch. All tensors belong to the caller. */
export function forwardOnly(
  run: Run,
  objective: Objective,
  item: LoadedBatch,
): { outputs: TensorTree; sums: BatchSums } {
  const { trainable, random } = run.parts;
  let logged: Logged = NOTHING_LOGGED;
  try {
    return random.during(() =>
      tf.tidy(() => {
        const { batch } = item;
        const outputs = ownOutputs(trainable.forward(batch.xs, false), batch);
        const losses = lossesOf(run, objective, outputs, item);
        logged = run.logged.take();
        const sums = batchSums(objective.metricsFor, trainable.named(outputs), batch, losses, logged);
        return { outputs, sums } as never;
      }),
    );
  } catch (error) {
    run.logged.dispose();
    tf.dispose(logged);
    throw error;
  }
}

/** The fields that every event about a batch carries; hooks cannot change the batch by writing to them. */
export function eventOf({
  batch,
  batchIndex,
  loaderIndex,
  loaderName,
}: LoadedBatch): Omit<LoadedBatch, 'owned'> {
  return { batch: frozenBatch(batch), batchIndex, loaderIndex, loaderName };
}

function lossesOf(run: Run, { loss }: Objective, outputs: TensorTree, item: LoadedBatch): BatchLosses {
  const { trainable } = run.parts;
  const { batch } = item;
  if (trainable.loss)
    return {
      total: wholeLoss(trainable, outputs, trainable.loss(outputs, batch, run.logged.log)),
      outputs: {},
    };
  const named = trainable.named(outputs);
  if (batch.ys && loss!.judgesTargets && isChecked(run, item)) {
    checkTargets(loss!, named, batch.ys, `Batch ${item.batchIndex} of loader "${item.loaderName}"`);
  }
  const losses = loss!.of(named, batch, run.logged.log);
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
  return trainable
    .regularization()
    .reduce((total, penalty) => tf.add(total, penalty), scalarOf(scalar, outputs));
}

/** One that is not among the outputs, which do not live as long as the loss does. */
function scalarOf(value: tf.Tensor, outputs: TensorTree): tf.Scalar {
  const own = leaves(outputs).includes(value) ? tf.clone(value) : value;
  return (own.rank === 0 ? own : tf.reshape(own, [])) as tf.Scalar;
}

/** The gradients by the paths of their parameters. */
export function byPath(
  trained: readonly Parameter[],
  gradients: tf.NamedTensorMap,
): Record<string, tf.Tensor> {
  return Object.fromEntries(
    trained.flatMap(({ path, variable }) => {
      const gradient = gradients[variable.name];
      return gradient ? [[path, gradient]] : [];
    }),
  );
}
