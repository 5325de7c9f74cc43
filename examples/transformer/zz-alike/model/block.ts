import * as tf from '@tensorflow/tfjs-core';
import { type AttentionOptions, attention } from './attention.js';
import { layerNorm } from './layer-norm.js';
import { mlp } from './mlp.js';
import type { Parameters } from './parameters.js';
import type { Part } from './part.js';

export interface BlockOptions extends AttentionOptions {
  /** Units of the MLP. */
  hidden: number;
}

/**
 * Attention, then an MLP: each reads the normed residual stream and adds to it. Tap point: `resid`, the stream
 * after the block.
 */
export function block(parameters: Parameters, path: string, options: BlockOptions): Part {
  const { width, hidden } = options;
  const attentionNorm = layerNorm(parameters, `${path}/attention/norm`, width);
  const attend = attention(parameters, `${path}/attention`, options);
  const mlpNorm = layerNorm(parameters, `${path}/mlp/norm`, width);
  const think = mlp(parameters, `${path}/mlp`, width, hidden);
  return (x, forward) => {
    const attended = tf.add<tf.Tensor3D>(x, attend(attentionNorm(x), forward));
    return forward.tap(`${path}/resid`, tf.add(attended, think(mlpNorm(attended), forward)));
  };
}
