import { sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BINARY } from '../module/operation-codes.js';
import { binaryOf } from './elementwise.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const SLOPE = 'HooklineSlope';
export const SOFTMAX_GRADIENT = 'HooklineSoftmaxGradient';

/** Activations that have a gradient of one kernel: from their argument (relu) or from their result. */
const CODES: Readonly<Record<Slope, number>> = {
  relu: BINARY.reluGradient,
  relu6: BINARY.relu6Gradient,
  sigmoid: BINARY.sigmoidGradient,
  tanh: BINARY.tanhGradient,
};

export type Slope = 'relu' | 'relu6' | 'sigmoid' | 'tanh';

export const SLOPE_KERNELS: readonly TrainingKernel[] = [
  kernel<{ dy: Tensor; at: Tensor }, { of: Slope }>(SLOPE, 'added', (context, { dy, at }, { of }) =>
    binaryOf(context, dy, at, CODES[of]),
  ),

  kernel<{ dy: Tensor; y: Tensor }>(SOFTMAX_GRADIENT, 'added', (context, { dy, y }) => {
    const width = y.shape.at(-1) ?? 1;
    const out = context.output(y.shape);
    const height = width === 0 ? 0 : sizeOf(y) / width;
    context.module.softmaxGradient(...context.addresses(dy, y, out), height, width);
    return out;
  }),
];
