import * as tf from '@tensorflow/tfjs-core';
import { areFloats } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { UNARY } from '../module/operation-codes.js';
import { unaryOf } from './elementwise.js';
import { type KernelState, kernel, type TrainingKernel } from './training-kernel.js';

export const UNARY_KERNELS: readonly TrainingKernel[] = [
  plain(tf.Abs, UNARY.abs),
  plain(tf.Neg, UNARY.neg),
  plain(tf.Square, UNARY.square),
  plain(tf.Sqrt, UNARY.sqrt),
  plain(tf.Rsqrt, UNARY.rsqrt),
  plain(tf.Reciprocal, UNARY.reciprocal),
  plain(tf.Exp, UNARY.exp),
  plain(tf.Log, UNARY.log),
  plain(tf.Tanh, UNARY.tanh),
  plain(tf.Sigmoid, UNARY.sigmoid),
  plain(tf.Softplus, UNARY.softplus),
  plain(tf.Elu, UNARY.elu),
  plain(tf.Sign, UNARY.sign),
  // Stock turns NaN into 0.
  plain(tf.Relu, UNARY.relu, 'corrected'),
  plain(tf.Relu6, UNARY.relu6, 'corrected'),

  kernel<{ x: Tensor }, { alpha: number }>(tf.LeakyRelu, 'fast', (context, { x }, { alpha }) =>
    areFloats(x) ? unaryOf(context, x, UNARY.leakyRelu, alpha) : undefined,
  ),
  kernel<{ x: Tensor }>(tf.Selu, 'fast', (context, { x }) => {
    const { SELU_SCALE, SELU_SCALEALPHA } = tf.backend_util;
    return areFloats(x) ? unaryOf(context, x, UNARY.selu, SELU_SCALE, SELU_SCALEALPHA) : undefined;
  }),
  // Stock clips the bits of an integer as if they were those of a float.
  kernel<{ x: Tensor }, { clipValueMin: number; clipValueMax: number }>(
    tf.ClipByValue,
    'corrected',
    (context, { x }, { clipValueMin, clipValueMax }) => {
      if (areFloats(x)) return unaryOf(context, x, UNARY.clip, clipValueMin, clipValueMax);
      const out = context.output(x.shape, x.dtype);
      const [from, to] = [context.backend.typedArrayFromHeap(x), context.backend.typedArrayFromHeap(out)];
      for (let i = 0; i < to.length; i++) to[i] = Math.min(Math.max(from[i]!, clipValueMin), clipValueMax);
      return out;
    },
  ),
  kernel<{ x: Tensor }, { alpha: number }>(tf.Step, 'fast', (context, { x }, { alpha }) =>
    areFloats(x) ? unaryOf(context, x, UNARY.step, alpha) : undefined,
  ),
];

function plain(name: string, code: number, state: KernelState = 'fast'): TrainingKernel {
  return kernel<{ x: Tensor }>(name, state, (context, { x }) =>
    areFloats(x) ? unaryOf(context, x, code) : undefined,
  );
}
