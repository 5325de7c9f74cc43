import type { Gradients } from '@hookline/hook-api';
import { activeAccelerator } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { optimizerError } from './errors.js';

/** What is limited: each number, the norm of each parameter's gradient, or the norm of all gradients together. */
export type ClipOption = { value: number } | { norm: number } | { globalNorm: number };

export type ClipMode = 'value' | 'norm' | 'globalNorm';

export interface Clip {
  mode: ClipMode;
  limit: number;
}

export function clipOf(option: ClipOption): Clip {
  const [[mode, limit] = [undefined, Number.NaN], ...others] = Object.entries(option);
  if (
    (mode === 'value' || mode === 'norm' || mode === 'globalNorm') &&
    others.length === 0 &&
    typeof limit === 'number' &&
    limit > 0
  ) {
    return { mode, limit };
  }
  throw optimizerError(
    'BAD_OPTIONS',
    `clip is ${JSON.stringify(option)}, expected one of { value }, { norm } or { globalNorm } with a number above 0.`,
  );
}

/** New gradients, which belong to the caller; the given ones are unchanged. Nothing is read from the device. */
export function clipGradients(gradients: Gradients, { mode, limit }: Clip): Record<string, tf.Tensor> {
  return tf.tidy(() => {
    const scale = mode === 'globalNorm' ? commonFactor(gradients, limit) : undefined;
    return Object.fromEntries(
      Object.entries(gradients).map(([path, gradient]) => {
        if (mode === 'value') return [path, tf.clipByValue(gradient, -limit, limit)];
        if (scale === 1) return [path, tf.clone(gradient)];
        return [path, tf.mul(gradient, scale ?? factor(tf.sqrt(tf.sum(tf.square(gradient))), limit))];
      }),
    );
  });
}

/** The norm of all gradients together. The scalar belongs to the caller; nothing is read from the device. */
export function globalNorm(gradients: Gradients): tf.Scalar {
  return tf.tidy(() => {
    const squares = Object.values(gradients).map((gradient) => tf.sum(tf.square(gradient)));
    return squares.length === 0 ? tf.scalar(0) : (tf.sqrt(tf.addN(squares)) as tf.Scalar);
  });
}

/** A number on wasm, where the norm is one pass over our own memory; otherwise a tensor. */
function commonFactor(gradients: Gradients, limit: number): tf.Tensor | number {
  const norm = activeAccelerator()?.norm(Object.values(gradients));
  return norm === undefined ? factor(globalNorm(gradients), limit) : Math.min(limit / (norm + TINY), 1);
}

/** Prevents a division by zero when the norm is zero. */
const TINY = 1e-6;

/** 1 while the norm is within the limit. */
function factor(norm: tf.Tensor, limit: number): tf.Tensor {
  return tf.minimum(tf.div(limit, tf.add(norm, TINY)), 1);
}
