import * as tf from '@tensorflow/tfjs-core';
import { areFloats, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BINARY, COMPARE, UNARY } from '../module/operation-codes.js';
import { binaryOf, compareOf, unaryOf } from './elementwise.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface Operands {
  a: Tensor;
  b: Tensor;
}

export const BINARY_KERNELS: readonly TrainingKernel[] = [
  binary(tf.Add, BINARY.add),
  binary(tf.Sub, BINARY.sub),
  binary(tf.Multiply, BINARY.mul),
  binary(tf.RealDiv, BINARY.div),
  binary(tf.Maximum, BINARY.maximum),
  binary(tf.Minimum, BINARY.minimum),
  binary(tf.SquaredDifference, BINARY.squaredDifference),
  comparison(tf.Greater, COMPARE.greater),
  comparison(tf.GreaterEqual, COMPARE.greaterEqual),
  comparison(tf.Less, COMPARE.less),
  comparison(tf.LessEqual, COMPARE.lessEqual),
  comparison(tf.Equal, COMPARE.equal),
  comparison(tf.NotEqual, COMPARE.notEqual),

  // Stock repeats alpha wrongly where both are broadcast.
  kernel<{ x: Tensor; alpha: Tensor }>(tf.Prelu, 'corrected', (context, { x, alpha }) =>
    areFloats(x, alpha) ? binaryOf(context, x, alpha, BINARY.prelu) : undefined,
  ),
  kernel<{ dy: Tensor; y: Tensor }>(tf.EluGrad, 'fast', (context, { dy, y }) =>
    areFloats(dy, y) ? binaryOf(context, dy, y, BINARY.eluGradient) : undefined,
  ),
  kernel<Operands>(tf.Pow, 'fast', (context, { a, b }) => {
    // The exponents that people write in practice; others are left to stock.
    if (!areFloats(a, b) || sizeOf(b) !== 1 || b.shape.length > a.shape.length) return undefined;
    switch (context.backend.typedArrayFromHeap(b)[0]) {
      case 2:
        return unaryOf(context, a, UNARY.square);
      case 0.5:
        return unaryOf(context, a, UNARY.powHalf);
      case 1:
        return context.alias(a, a.shape);
      case -1:
        return unaryOf(context, a, UNARY.reciprocal);
      default:
        return undefined;
    }
  }),
];

function binary(name: string, code: number): TrainingKernel {
  return kernel<Operands>(name, 'fast', (context, { a, b }) =>
    areFloats(a, b) ? binaryOf(context, a, b, code) : undefined,
  );
}

function comparison(name: string, code: number): TrainingKernel {
  return kernel<Operands>(name, 'fast', (context, { a, b }) =>
    areFloats(a, b) ? compareOf(context, a, b, code) : undefined,
  );
}
