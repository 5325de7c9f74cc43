import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BackendWasmError } from '../errors.js';
import type { Address } from '../module/exports.js';
import { BINARY, UNARY } from '../module/operation-codes.js';
import { stridesOf } from '../shapes/strided-copy.js';
import { type Activation, channelBias, isKnownActivation, withActivation } from './activation.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface MatMulAttrs {
  transposeA: boolean;
  transposeB: boolean;
}

export const MATMUL_KERNELS: readonly TrainingKernel[] = [
  kernel<{ a: Tensor; b: Tensor }, MatMulAttrs>(tf.BatchMatMul, 'fast', (context, { a, b }, attrs) =>
    areFloats(a, b) ? multiply(context, a, b, attrs, 0, false) : undefined,
  ),

  // Stock adds the bias once for each block of a batched or transposed product.
  kernel<
    { a: Tensor; b: Tensor; bias?: Tensor; preluActivationWeights?: Tensor },
    MatMulAttrs & Omit<Activation, 'preluActivationWeights'>
  >(tf._FusedMatMul, 'corrected', (context, { a, b, bias, preluActivationWeights }, attrs) => {
    if (!areFloats(a, b, bias, preluActivationWeights) || !isKnownActivation(attrs.activation))
      return undefined;
    const columns = b.shape.at(attrs.transposeB ? -2 : -1)!;
    const vector = channelBias(context, bias, columns);
    const product = (from: Address, relu: boolean) => multiply(context, a, b, attrs, from, relu);
    return withActivation(context, product, bias, vector, { ...attrs, preluActivationWeights });
  }),
];

/** The product of two batches of matrices, which broadcast. `bias` is an address, or 0. */
export function multiply(
  context: KernelContext,
  a: Tensor,
  b: Tensor,
  { transposeA, transposeB }: MatMulAttrs,
  bias: number,
  relu: boolean,
): Tensor {
  const m = a.shape.at(transposeA ? -1 : -2)!;
  const k = a.shape.at(transposeA ? -2 : -1)!;
  const n = b.shape.at(transposeB ? -2 : -1)!;
  const rows = b.shape.at(transposeB ? -1 : -2)!;
  // Nobody has looked: `tf.matMul` leaves it to the kernels.
  if (k !== rows) throw doNotFit(a, b, k, rows);
  const batchA = a.shape.slice(0, -2);
  const batchB = b.shape.slice(0, -2);
  const batch = tf.broadcast_util.assertAndGetBroadcastShape(batchA, batchB);
  const out = context.output([...batch, m, n]);
  const size = sizeOf(out);
  if (size === 0) return out;
  const { module } = context;
  const [inA, inB, inOut] = [context.address(a), context.address(b), context.address(out)];
  if (k === 0) {
    module.fill(inOut, size, 0);
    if (bias) module.binary(BINARY.add, inOut, bias, inOut, 1, size / n, n, 0, n, 1, 0, 0, 1);
    if (relu) module.unary(UNARY.relu, inOut, inOut, size, 0, 0);
    return out;
  }
  const count = size / (m * n);
  const [countA, countB] = [sizeOf(a) / (m * k), sizeOf(b) / (k * n)];
  const isPlain = (countA === count || countA === 1) && (countB === count || countB === 1);
  if (isPlain) {
    // One right matrix for many left ones is one product with more rows.
    const asOne = countB === 1 && !transposeA;
    const height = asOne ? m * countA : m;
    const batches = asOne ? 1 : count;
    const [stepA, stepB] = [countA === 1 ? 0 : m * k, countB === 1 ? 0 : k * n];
    // biome-ignore format: the order of matMul.
    module.matMul(inA, transposeA, inB, transposeB, inOut, height, n, k, bias, relu, batches, stepA, stepB);
    return out;
  }
  const [placesA, placesB] = [batchPlaces(batchA, batch), batchPlaces(batchB, batch)];
  for (let i = 0; i < count; i++) {
    const [atA, atB] = [inA + placesA[i]! * m * k * 4, inB + placesB[i]! * k * n * 4];
    module.matMul(atA, transposeA, atB, transposeB, inOut + i * m * n * 4, m, n, k, bias, relu, 1, 0, 0);
  }
  return out;
}

function doNotFit(a: Tensor, b: Tensor, columns: number, rows: number): BackendWasmError {
  return new BackendWasmError(
    'UNSUPPORTED',
    `matMul: tensors of shape [${a.shape}] and [${b.shape}] cannot be multiplied. The matrices of the first have ` +
      `${columns} columns, those of the second ${rows} rows, and both must be equal. Transpose one of them ` +
      '(`transposeA`, `transposeB`), or give other shapes.',
  );
}

/** For each matrix of the broadcast batch, which one of this batch it is. */
function batchPlaces(own: number[], batch: number[]): number[] {
  const strides = stridesOf(own);
  return Array.from({ length: tf.util.sizeFromShape(batch) }, (_, index) => {
    let [rest, place] = [index, 0];
    for (let axis = batch.length - 1; axis >= 0; axis--) {
      const at = rest % batch[axis]!;
      rest = (rest - at) / batch[axis]!;
      const mine = axis - (batch.length - own.length);
      if (mine >= 0 && own[mine]! > 1) place += at * strides[mine]!;
    }
    return place;
  });
}
