import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';

type Mask = tf.Tensor | undefined;

const MERGES: ReadonlySet<string> = new Set(['Add', 'Average', 'Maximum', 'Minimum', 'Multiply']);

/** Layers of tfjs that only pass masks on: without a mask on an input they have none on their outputs. */
const PASSING: ReadonlySet<string> = new Set([
  ...MERGES,
  'Bidirectional',
  'Concatenate',
  'ConvLSTM2D',
  'Dot',
  'GRU',
  'LSTM',
  'RNN',
  'SimpleRNN',
]);

export function passesMasks(layer: Layer): boolean {
  return PASSING.has(layer.getClassName());
}

/** The mask of each output, given those of the inputs. */
export function outputMasks(
  layer: Layer,
  inputs: tf.Tensor[],
  given: readonly Mask[],
  count: number,
): readonly Mask[] {
  if (MERGES.has(layer.getClassName())) return [mergedMask(given)];
  if (layer.getClassName() === 'Concatenate') return [joinedMask(layer, inputs, given)];
  const computed = layer.computeMask(inputs, given as tf.Tensor[]) as Mask | null | (Mask | null)[];
  if (!Array.isArray(computed)) return [computed ?? undefined];
  // Stock gives the first mask to every output, the states of an RNN among them.
  if (computed.length === count) return computed.map((mask) => mask ?? undefined);
  return new Array<Mask>(count).fill(computed[0] ?? undefined);
}

/**
 * Stock adds an axis to the mask and ignores the last mask. Here, as in Keras 3, a step counts when it counts in one of
 * the inputs: in all of them, if one has no mask.
 */
function mergedMask(given: readonly Mask[]): Mask {
  const masks = given.filter((mask) => mask !== undefined);
  if (masks.length < given.length) return undefined;
  return masks.reduce<tf.Tensor>((either, mask) => tf.logicalOr(either, mask), masks[0]!);
}

/**
 * Stock fails on sequences that follow one another, and elsewhere counts a step when it counts in all inputs. Here, as in
 * Keras 3, one of them is enough.
 */
function joinedMask(layer: Layer, inputs: readonly tf.Tensor[], given: readonly Mask[]): Mask {
  if (given.every((mask) => mask === undefined)) return undefined;
  const { axis } = layer as unknown as { axis: number };
  return tf.tidy(() => {
    const each = inputs.map((input, index) => maskOfNumbers(input, given[index]));
    return tf.any(tf.concat(each, axis), -1);
  });
}

/** For each number of the input, whether it counts. */
function maskOfNumbers(input: tf.Tensor, mask: Mask): tf.Tensor {
  if (!mask) return tf.ones(input.shape, 'bool');
  if (mask.rank >= input.rank) return mask;
  return tf.logicalAnd(tf.expandDims(mask, -1), tf.ones(input.shape, 'bool'));
}
