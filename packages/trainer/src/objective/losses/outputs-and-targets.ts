import type { TensorTree } from '@hookline/hook-api';
import { isTensor, leaves } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';

/** One output of the model with what it should have been. */
export interface OutputAndTarget {
  /** Of the output; its number where outputs have no names. */
  name: string;
  output: tf.Tensor;
  target: tf.Tensor;
}

/** Each output with its targets: by name where both have names, else in their order. */
export function outputsAndTargets(outputs: TensorTree, targets: TensorTree): OutputAndTarget[] {
  const [outs, ys, names] = [leaves(outputs), leaves(targets), namesOf(outputs)];
  const byName =
    !isTensor(outputs) && !Array.isArray(outputs) && !isTensor(targets) && !Array.isArray(targets);
  // One target for one output: no question which is meant, whatever it is called.
  if (byName && !(outs.length === 1 && ys.length === 1)) {
    return Object.entries(outputs).map(([name, output]) => {
      const target = targets[name];
      if (target) return { name, output, target };
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
  return outs.map((output, index) => ({ name: names[index]!, output, target: ys[index]! }));
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
