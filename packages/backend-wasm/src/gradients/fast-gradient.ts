import type * as tf from '@tensorflow/tfjs-core';

export type GradientFunction = tf.GradConfig['gradFunc'];

/** A gradient on wasm; `when` says for which attributes, shapes and types, where that matters. */
export interface FastGradient {
  readonly gradient: GradientFunction;
  readonly when?: (attrs: tf.NamedAttrMap, saved: readonly tf.Tensor[]) => boolean;
}
