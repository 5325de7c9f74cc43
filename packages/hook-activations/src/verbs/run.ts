import { forward, type TappableModel, type TapSpec, type Tensors, withTaps } from '@hookline/layer-taps';
import { leaves, mapTree } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

export interface RunOptions {
  /** What to do on the way: what `patch`, `ablate` and `steer` return, or taps of your own. */
  taps?: readonly TapSpec[];
  /** Run as in training: with dropout, and with moving averages that move. Default false. */
  training?: boolean;
}

/**
 * Runs a model of layers or of raw ops once. The outputs are yours to dispose.
 *
 * @example const output = run(model, x, { taps: [ablate('attention_1')] });
 */
export function run<Output extends Tensors = tf.Tensor>(
  model: TappableModel,
  x: Tensors,
  { taps = [], training = false }: RunOptions = {},
): Output {
  const inputs = new Set(leaves(x));
  // A model may hand an input or a variable through, which is not ours to give away.
  const owned = (tensor: tf.Tensor) =>
    inputs.has(tensor) || tensor.kept || 'assign' in tensor ? tf.clone(tensor) : tensor;
  return withTaps(model, taps, () =>
    tf.tidy(() => mapTree(forward(model, x, { training }), owned)),
  ) as Output;
}
