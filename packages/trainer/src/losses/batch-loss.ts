import { type Batch, didYouMean, type TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { isTensor, leaves } from '../tensors.js';
import { LOSSES, type LossFunction, type LossName } from './losses.js';
import { denseLoss, smoothed, type TargetSettings, weightsByClass } from './target-settings.js';

type Loss = LossName | LossFunction;

/** One loss for every output, or one for each: in the outputs' order, or by their names. */
export type LossOption = Loss | readonly Loss[] | Readonly<Record<string, Loss>>;

/** The scalar that is minimised: the mean over samples, summed over outputs. */
export type BatchLoss = (outputs: TensorTree, batch: Batch) => tf.Scalar;

export interface LossSettings extends TargetSettings {
  /** How much each output's loss counts, in the outputs' order or by their names; 1 for those left out. */
  lossWeights?: readonly number[] | Readonly<Record<string, number>>;
}

export function batchLoss(option: LossOption, settings: LossSettings = {}): BatchLoss {
  const perOutput = lossesOf(option, settings);
  const { lossWeights = [], classWeights } = settings;
  return (outputs, { ys, weights }) => {
    if (ys === undefined) {
      throw trainerError(
        'BAD_BATCH',
        'The batch has no targets (ys), but the loss needs them. Give { xs, ys }, or a module with its own loss().',
      );
    }
    return pair(outputs, ys)
      .map(([output, target, key], index) => {
        const byClass = classWeights && weightsByClass(target, output, classWeights);
        const both =
          byClass && weights ? tf.mul(byClass, tf.reshape(weights, byClass.shape)) : (byClass ?? weights);
        const loss = meanOver(perOutput(key, index)(target, output), both);
        const weight = (lossWeights as Readonly<Record<string, number>>)[key] ?? 1;
        return weight === 1 ? loss : tf.mul<tf.Scalar>(loss, weight);
      })
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

function lossesOf(option: LossOption, settings: LossSettings): (key: string, index: number) => LossFunction {
  const make = (loss: Loss) => lossOf(loss, settings);
  if (typeof option === 'string' || typeof option === 'function') {
    const loss = make(option);
    return () => loss;
  }
  if (Array.isArray(option)) {
    const losses = option.map(make);
    return (key, index) => losses[index] ?? missing(key);
  }
  const losses = Object.fromEntries(Object.entries(option).map(([key, loss]) => [key, make(loss)]));
  return (key) => losses[key] ?? missing(key);
}

function missing(output: string): never {
  throw trainerError(
    'BAD_LOSS',
    `There is no loss for output "${output}". Give one loss for each output, or one for all.`,
  );
}

function lossOf(loss: Loss, { labelSmoothing, classWeights }: LossSettings): LossFunction {
  if (classWeights) denseLoss(loss, 'classWeights');
  if (labelSmoothing !== undefined) {
    const dense = LOSSES[denseLoss(loss, 'labelSmoothing')];
    return (targets, outputs) => dense(smoothed(targets, outputs, labelSmoothing), outputs);
  }
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
