import type { LoadedBatch } from '@hookline/data';
import type { Batch, Hook, LossEvent, OptimizerView, TensorTree } from '@hookline/hook-api';
import { isHostBackend, isTensor, leaves, mapTree } from '@hookline/numerics';
import type { Parameter } from '@hookline/optimizers';
import * as tf from '@tensorflow/tfjs-core';
import { kindOf, trainerError } from '../errors.js';
import { ownOutputs } from '../model/own-outputs.js';
import type { Trainable } from '../model/trainable.js';
import { countTensors, samplesIn } from '../objective/count.js';
import type { BatchLosses } from '../objective/losses/batch-loss.js';
import { checkTargets, readTargets } from '../objective/losses/check-targets.js';
import { namesOf, type OutputMasks } from '../objective/losses/outputs-and-targets.js';
import { type BatchSums, batchSums, disposeSums } from '../objective/metrics/batch-sums.js';
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
  let masks: OutputMasks;
  let losses: BatchLosses | undefined;
  let logged: Logged = NOTHING_LOGGED;
  let isWhole = false;
  run.updateTaps();
  try {
    const { loss, gradients } = random.during(() =>
      lossAndGradients(
        () => {
          run.phase('forward');
          ({ outputs, masks } = forwardOf(trainable, item.batch, true));
          // Taken from the tape's tidy, for the metrics and for hooks; a step without any holds no more than it must.
          const isMeasured = objective.metricsFor(namesOf(trainable.named(outputs))).length > 0;
          if (keepsOutputs || isMeasured) mapTree(outputs, tf.keep);
          if (isMeasured) for (const mask of masks ?? []) mask && tf.keep(mask);
          losses = lossesOf(run, objective, outputs, item, masks);
          for (const tensor of besideTotal(losses)) tf.keep(tensor);
          return lossForBackward(run, item, losses.total, outputs);
        },
        trained.map(({ variable }) => variable),
      ),
    );
    try {
      // Metrics come after the tape is gone: they need no gradient.
      run.phase('metrics');
      const whole = { ...losses!, total: loss };
      logged = run.logged.take();
      const sums = random.during(() =>
        batchSums(objective, trainable.named(outputs!), item.batch, whole, { masks, logged }),
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
    if (!(keepsOutputs && isWhole)) tf.dispose(outputs as tf.TensorContainer);
    if (!isWhole && losses) tf.dispose(besideTotal(losses));
    if (masks) tf.dispose(masks as tf.TensorContainer);
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
  return run.tensors.transform('transformLoss', event, accept).loss;
}

/** A batch that was not trained. */
interface Evaluated {
  outputs: TensorTree;
  sums: BatchSums;
}

export function disposeEvaluated({ outputs, sums }: Evaluated): void {
  tf.dispose(outputs as tf.TensorContainer);
  disposeSums(sums);
}

/** Forward only: outputs and, where there are targets, the sums of the batch. All tensors belong to the caller. */
export function forwardOnly(run: Run, objective: Objective, item: LoadedBatch): Evaluated {
  const { trainable, random } = run.parts;
  let logged: Logged = NOTHING_LOGGED;
  try {
    return random.during(() =>
      tf.tidy(() => {
        const { batch } = item;
        const { outputs, masks } = forwardOf(trainable, batch, false);
        const losses = lossesOf(run, objective, outputs, item, masks);
        logged = run.logged.take();
        const sums = batchSums(objective, trainable.named(outputs), batch, losses, { masks, logged });
        return { outputs, sums } as never;
      }),
    );
  } catch (error) {
    run.logged.dispose();
    tf.dispose(logged);
    throw error;
  }
}

function forwardOf(
  trainable: Trainable,
  batch: Batch,
  training: boolean,
): { outputs: TensorTree; masks: OutputMasks } {
  const given = trainable.forward(batch.xs, training);
  return { outputs: ownOutputs(given, batch), masks: trainable.masksOf(given) };
}

/** The tensors that the sums of a batch hold beside the loss that is minimised. */
function besideTotal({ count, outputs }: BatchLosses): tf.Tensor[] {
  const each = Object.values(outputs);
  return [...each.map(({ mean }) => mean), ...countTensors([count, ...each.map((output) => output.count)])];
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

function lossesOf(
  run: Run,
  { loss }: Objective,
  outputs: TensorTree,
  item: LoadedBatch,
  masks: OutputMasks,
): BatchLosses {
  const { trainable } = run.parts;
  const { batch } = item;
  const { log } = run.logged;
  if (trainable.loss) {
    const total = wholeLoss(trainable, outputs, trainable.loss(outputs, batch, log));
    return { total, count: samplesIn(batch), outputs: {} };
  }
  const named = trainable.named(outputs);
  if (batch.ys && isChecked(run, { loss }, item)) {
    checkTargets(loss!, named, batch.ys, `Batch ${item.batchIndex + 1} of loader "${item.loaderName}"`);
  }
  const losses = loss!.of(named, batch, { log, masks });
  return { ...losses, total: wholeLoss(trainable, outputs, losses.total) };
}

/** Reads from the device what is looked at during the forward pass of this batch. */
export function readForCheck(run: Run, objective: Objective, item: LoadedBatch): Promise<void> | undefined {
  const { ys } = item.batch;
  return ys && !isHostBackend() && isChecked(run, objective, item) ? readTargets(ys) : undefined;
}

/** Targets are looked at in the first epoch; where that is a transfer from the device, in its first batch only. */
function isChecked(
  { state, parts }: Run,
  { loss }: Pick<Objective, 'loss'>,
  { batchIndex }: LoadedBatch,
): boolean {
  if (parts.trainable.loss || !loss?.judgesTargets) return false;
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
  const found: Record<string, tf.Tensor> = {};
  for (const { path, variable } of trained) {
    const gradient = gradients[variable.name];
    if (gradient) found[path] = gradient;
  }
  return found;
}
