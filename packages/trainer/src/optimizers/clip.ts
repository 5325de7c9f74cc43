import type { Gradients } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';

/** How gradients are clipped: each number, each parameter's norm, or the norm of all together. */
export type ClipOption = { value: number } | { norm: number } | { globalNorm: number };

export type ClipMode = 'value' | 'norm' | 'globalNorm';

export interface Clip {
  mode: ClipMode;
  limit: number;
}

export function clipOf(option: ClipOption): Clip {
  const [[mode, limit] = [undefined, Number.NaN], ...others] = Object.entries(option);
  if ((mode === 'value' || mode === 'norm' || mode === 'globalNorm') && others.length === 0 && limit > 0) {
    return { mode, limit };
  }
  throw trainerError(
    'BAD_OPTIONS',
    `clip expects one of { value }, { norm } or { globalNorm } above 0, got ${JSON.stringify(option)}.`,
  );
}

/** New gradients, which belong to the caller; the given ones stay as they are. Nothing is read from the device. */
export function clipGradients(gradients: Gradients, { mode, limit }: Clip): Record<string, tf.Tensor> {
  return tf.tidy(() => {
    const scale = mode === 'globalNorm' ? factor(globalNorm(gradients), limit) : undefined;
    return Object.fromEntries(
      Object.entries(gradients).map(([path, gradient]) => {
        if (mode === 'value') return [path, tf.clipByValue(gradient, -limit, limit)];
        return [path, tf.mul(gradient, scale ?? factor(tf.sqrt(tf.sum(tf.square(gradient))), limit))];
      }),
    );
  });
}

/** The norm of all gradients together, as a scalar that belongs to the caller. */
export function globalNorm(gradients: Gradients): tf.Scalar {
  return tf.tidy(() =>
    tf.sqrt(tf.addN(Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)))) as tf.Scalar),
  );
}

/** 1 while the norm is within the limit. The small term keeps a norm of zero from dividing by zero. */
function factor(norm: tf.Tensor, limit: number): tf.Tensor {
  return tf.minimum(tf.div(limit, tf.add(norm, 1e-6)), 1);
}
