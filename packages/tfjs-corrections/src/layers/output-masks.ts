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
  const computed = layer.computeMask(inputs, given as tf.Tensor[]) as Mask | null | (Mask | null)[];
  if (!Array.isArray(computed)) return [computed ?? undefined];
  // Stock gives the first mask to every output, the states of an RNN among them.
  if (computed.length === count) return computed.map((mask) => mask ?? undefined);
  return new Array<Mask>(count).fill(computed[0] ?? undefined);
}

/**
 * Stock adds an axis to the mask, ignores the last mask, and drops the others when the first input has none. Here a step
 * counts when it counts in every input that is masked, as in Keras.
 */
function mergedMask(given: readonly Mask[]): Mask {
  const [first, ...others] = given.filter((mask) => mask !== undefined);
  return first && others.reduce<tf.Tensor>((both, mask) => tf.logicalAnd(both, mask), first);
}
