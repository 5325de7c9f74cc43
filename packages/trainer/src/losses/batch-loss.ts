import { type Batch, didYouMean, type TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { isTensor, leaves } from '../tensors.js';
import { LOSSES, type LossFunction, type LossName } from './losses.js';

type Loss = LossName | LossFunction;

/** One loss for every output, or one for each: in the outputs' order, or by their names. */
export type LossOption = Loss | readonly Loss[] | Readonly<Record<string, Loss>>;

/** The scalar that is minimised: the mean over samples, summed over outputs. */
export type BatchLoss = (outputs: TensorTree, batch: Batch) => tf.Scalar;

export function batchLoss(option: LossOption): BatchLoss {
  const perOutput = lossesOf(option);
  return (outputs, { ys, weights }) => {
    if (ys === undefined) {
      throw trainerError(
        'BAD_BATCH',
        'The batch has no targets (ys), but the loss needs them. Give { xs, ys }, or a module with its own loss().',
      );
    }
    return pair(outputs, ys)
      .map(([output, target, key], index) => meanOver(perOutput(key, index)(target, output), weights))
      .reduce((total, loss) => tf.add(total, loss));
  };
}

function meanOver(perSample: tf.Tensor, weights: tf.Tensor | undefined): tf.Scalar {
  if (!weights) return tf.mean(perSample);
  // Weights scale each sample's loss; the divisor stays the batch size, as in Keras.
  const [count] = perSample.shape;
  if (count === undefined) {
    throw trainerError(
      'BAD_LOSS',
      'The batch has sample weights, but the loss gives one number for all samples. Return one for each.',
    );
  }
  if (weights.size !== count) {
    throw trainerError(
      'BAD_BATCH',
      `The sample weights have shape [${weights.shape}], but the batch has ${count} samples: give one for each.`,
    );
  }
  const samples = perSample.rank > 1 ? tf.mean(tf.reshape(perSample, [count, -1]), 1) : perSample;
  return tf.mean(tf.mul(samples, tf.reshape(weights, [count])));
}

function lossesOf(option: LossOption): (key: string, index: number) => LossFunction {
  if (typeof option === 'string' || typeof option === 'function') {
    const loss = lossOf(option);
    return () => loss;
  }
  if (Array.isArray(option)) {
    const losses = option.map(lossOf);
    return (key, index) => losses[index] ?? missing(key);
  }
  const losses = Object.fromEntries(Object.entries(option).map(([key, loss]) => [key, lossOf(loss)]));
  return (key) => losses[key] ?? missing(key);
}

function missing(output: string): never {
  throw trainerError(
    'BAD_LOSS',
    `There is no loss for output "${output}". Give one loss for each output, or one for all.`,
  );
}

function lossOf(loss: Loss): LossFunction {
  if (typeof loss === 'function') return loss;
  if (Object.hasOwn(LOSSES, loss)) return LOSSES[loss];
  const names = Object.keys(LOSSES);
  throw trainerError(
    'BAD_LOSS',
    `There is no loss "${String(loss)}".${didYouMean(String(loss), names)} Known losses: ${names.join(', ')}; a function (targets, outputs) => losses per sample will do too.`,
  );
}

/** Each output with its targets and its name. */
export function pair(outputs: TensorTree, targets: TensorTree): [tf.Tensor, tf.Tensor, string][] {
  if (!isTensor(outputs) && !Array.isArray(outputs) && !isTensor(targets) && !Array.isArray(targets)) {
    return Object.entries(outputs).map(([key, output]) => {
      const target = targets[key];
      if (target) return [output, aligned(target, output), key];
      throw trainerError(
        'BAD_BATCH',
        `The batch has no targets for output "${key}"; ys has: ${Object.keys(targets).join(', ')}.`,
      );
    });
  }
  const [outs, ys] = [leaves(outputs), leaves(targets)];
  if (outs.length !== ys.length) {
    throw trainerError(
      'BAD_BATCH',
      `The model has ${outs.length} outputs, but the batch has ${ys.length} targets.`,
    );
  }
  const names = isTensor(outputs) ? ['0'] : Object.keys(outputs);
  return outs.map((output, index) => [output, aligned(ys[index]!, output), names[index]!]);
}

/** [n] for [n, 1] and the like: the same numbers, so no question what is meant. */
function aligned(target: tf.Tensor, output: tf.Tensor): tf.Tensor {
  return target.size === output.size && target.rank !== output.rank
    ? tf.reshape(target, output.shape)
    : target;
}
