import { sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const BATCH_NORM = 'HooklineBatchNorm';
export const BATCH_NORM_GRADIENT = 'HooklineBatchNormGradient';
export const MOVE_AVERAGE = 'HooklineMoveAverage';
export const LAYER_NORM = 'HooklineLayerNorm';
export const LAYER_NORM_GRADIENT = 'HooklineLayerNormGradient';

interface Forward {
  x: Tensor;
  gamma: Tensor;
  beta: Tensor;
}

export const NORM_KERNELS: readonly TrainingKernel[] = [
  // The result, and mean and variance of each channel.
  kernel<Forward, { epsilon: number }>(BATCH_NORM, 'added', (context, { x, gamma, beta }, { epsilon }) => {
    const { height, width } = rowsOf(x);
    const [y, mean, variance] = [context.output(x.shape), context.output([width]), context.output([width])];
    const [a, b, c, d, e, f] = context.addresses(x, gamma, beta, y, mean, variance);
    context.module.batchNorm(a, b, c, d, e, f, height, width, epsilon);
    return [y, mean, variance];
  }),

  kernel<{ x: Tensor; dy: Tensor; gamma: Tensor; mean: Tensor; variance: Tensor }, { epsilon: number }>(
    BATCH_NORM_GRADIENT,
    'added',
    (context, { x, dy, gamma, mean, variance }, { epsilon }) => {
      const { height, width } = rowsOf(x);
      const [dx, dGamma, dBeta] = [context.output(x.shape), context.output([width]), context.output([width])];
      const [a, b, c, d, e, f, g, h] = context.addresses(x, dy, gamma, mean, variance, dx, dGamma, dBeta);
      context.module.batchNormGradient(a, b, c, d, e, f, g, h, height, width, epsilon);
      return [dx, dGamma, dBeta];
    },
  ),

  kernel<{ average: Tensor; value: Tensor }, { rate: number }>(
    MOVE_AVERAGE,
    'added',
    (context, { average, value }, { rate }) => {
      const moved = context.output(average.shape);
      const [a, b, c] = context.addresses(average, value, moved);
      context.module.moveAverage(a, b, c, sizeOf(moved), rate);
      return moved;
    },
  ),

  // The result, and for each row its mean and 1 / the root of its variance.
  kernel<Forward, { epsilon: number }>(LAYER_NORM, 'added', (context, { x, gamma, beta }, { epsilon }) => {
    const { height, width } = rowsOf(x);
    const [y, mean, inverse] = [context.output(x.shape), context.output([height]), context.output([height])];
    const [a, b, c, d, e, f] = context.addresses(x, gamma, beta, y, mean, inverse);
    context.module.layerNorm(a, b, c, d, e, f, height, width, epsilon);
    return [y, mean, inverse];
  }),

  kernel<{ x: Tensor; dy: Tensor; gamma: Tensor; mean: Tensor; inverse: Tensor }>(
    LAYER_NORM_GRADIENT,
    'added',
    (context, { x, dy, gamma, mean, inverse }) => {
      const { height, width } = rowsOf(x);
      const [dx, dGamma, dBeta] = [context.output(x.shape), context.output([width]), context.output([width])];
      const [a, b, c, d, e, f, g, h] = context.addresses(x, dy, gamma, mean, inverse, dx, dGamma, dBeta);
      context.module.layerNormGradient(a, b, c, d, e, f, g, h, height, width);
      return [dx, dGamma, dBeta];
    },
  ),
];

function rowsOf(x: Tensor): { height: number; width: number } {
  const width = x.shape.at(-1)!;
  return { width, height: width === 0 ? 0 : sizeOf(x) / width };
}
