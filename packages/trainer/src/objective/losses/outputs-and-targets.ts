import type { Batch, TensorTree } from '@hookline/hook-api';
import { isTensor, leaves } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { checkOutputNames } from './per-output.js';

/** One output of the model with what it should have been. */
export interface OutputAndTarget {
  /** Of the output; its number where outputs have no names. */
  name: string;
  output: tf.Tensor;
  target: tf.Tensor;
  /** How much each sample counts, or each of its steps. */
  weights: tf.Tensor | undefined;
  /** Which steps of the output are there at all. */
  mask: tf.Tensor | undefined;
}

/** The mask of each output, in their order; undefined where none has one. */
export type OutputMasks = readonly (tf.Tensor | undefined)[] | undefined;

/** Each output with its targets: by name where both have names, else in their order. */
export function outputsAndTargets(
  outputs: TensorTree,
  { ys: targets, weights }: Pick<Batch, 'weights'> & { ys: TensorTree },
  masks?: OutputMasks,
): OutputAndTarget[] {
  const [outs, ys, names] = [leaves(outputs), leaves(targets), namesOf(outputs)];
  const weightsOf = weights === undefined ? undefined : outputWeights(weights, names);
  const pair = (target: tf.Tensor, index: number): OutputAndTarget => ({
    name: names[index]!,
    output: outs[index]!,
    target,
    weights: weightsOf?.(index),
    mask: masks?.[index],
  });
  const byName =
    !isTensor(outputs) && !Array.isArray(outputs) && !isTensor(targets) && !Array.isArray(targets);
  // One target for one output: no question which is meant, whatever it is called.
  if (byName && !(outs.length === 1 && ys.length === 1)) {
    return names.map((name, index) => {
      const target = targets[name];
      if (target) return pair(target, index);
      throw trainerError(
        'BAD_BATCH',
        `The batch has no targets for output "${name}"; ys has: ${Object.keys(targets).join(', ')}. Name the targets like the outputs: ${names.join(', ')}.`,
      );
    });
  }
  if (outs.length !== ys.length) {
    throw trainerError(
      'BAD_BATCH',
      `The model has ${outs.length} outputs (${names.join(', ')}), but the batch has ${ys.length} targets. Give ys with one for each output, in their order or by their names.`,
    );
  }
  return ys.map(pair);
}

/** [n] for [n, 1] and the like: the same numbers, so no question what is meant. */
export function aligned(target: tf.Tensor, output: tf.Tensor): tf.Tensor {
  return target.size === output.size && target.rank !== output.rank
    ? tf.reshape(target, output.shape)
    : target;
}

/** The outputs' names; their numbers where they have none. */
export function namesOf(outputs: TensorTree): string[] {
  return isTensor(outputs) ? ['0'] : Object.keys(outputs);
}

/** One tensor weighs the samples for every output; several are for the outputs in their order, or by their names. */
function outputWeights(
  weights: TensorTree,
  names: readonly string[],
): (index: number) => tf.Tensor | undefined {
  if (isTensor(weights)) return () => weights;
  if (!Array.isArray(weights)) {
    checkOutputNames('weights of the batch', Object.keys(weights), names, 'BAD_BATCH');
    return (index) => weights[names[index]!];
  }
  if (weights.length > names.length) {
    throw trainerError(
      'BAD_BATCH',
      `The batch has ${weights.length} tensors of weights, but the model has ${names.length} outputs: ${names.join(', ')}. Give one for each, or one for all.`,
    );
  }
  return (index) => weights[index];
}
