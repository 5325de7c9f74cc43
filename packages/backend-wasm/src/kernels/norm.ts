import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BATCH_NORM_ROWS, blocksOf, LAYER_NORM_ROWS } from './blocks.js';
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
    const [a, b, c, d, e, f] = context.addresses(x, gamma, beta, mean, variance, y);
    const blocks = blocksOf(height, BATCH_NORM_ROWS);
    const sums = context.scratch('blocks', blocks * width);
    const { module } = context;
    module.blockSums(a, sums, height, width);
    module.joinBlocks(sums, d, blocks, width, 1 / height);
    module.blockSquares(a, d, sums, height, width);
    module.joinBlocks(sums, e, blocks, width, 1 / height);
    module.batchNormRows(a, b, c, d, e, f, height, width, epsilon);
    return [y, mean, variance];
  }),

  kernel<{ x: Tensor; dy: Tensor; gamma: Tensor; mean: Tensor; variance: Tensor }, { epsilon: number }>(
    BATCH_NORM_GRADIENT,
    'added',
    (context, { x, dy, gamma, mean, variance }, { epsilon }) => {
      const { height, width } = rowsOf(x);
      const [dx, dGamma, dBeta] = [context.output(x.shape), context.output([width]), context.output([width])];
      const [a, b, c, d, e, f, g, h] = context.addresses(x, dy, gamma, mean, variance, dGamma, dBeta, dx);
      const { module } = context;
      const { blocks, dGammas, dBetas } = gradientBlocks(context, height, width, BATCH_NORM_ROWS);
      module.blockSlopes(a, b, d, e, dGammas, dBetas, height, width, epsilon);
      module.joinBlocks(dGammas, f, blocks, width, 1);
      module.joinBlocks(dBetas, g, blocks, width, 1);
      module.batchNormGradientRows(a, b, c, d, e, f, g, h, height, width, epsilon, 1 / height);
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
      const { module } = context;
      const { blocks, dGammas, dBetas } = gradientBlocks(context, height, width, LAYER_NORM_ROWS);
      module.layerNormGradientRows(a, b, c, d, e, f, dGammas, dBetas, height, width);
      module.joinBlocks(dGammas, g, blocks, width, 1);
      module.joinBlocks(dBetas, h, blocks, width, 1);
      return [dx, dGamma, dBeta];
    },
  ),
];

/** Room for the parts of dGamma and dBeta that blocks of so many rows leave. */
function gradientBlocks(context: KernelContext, height: number, width: number, rows: number) {
  const blocks = blocksOf(height, rows);
  const dGammas = context.scratch('blocks', 2 * blocks * width);
  return { blocks, dGammas, dBetas: dGammas + blocks * width * 4 };
}

function rowsOf(x: Tensor): { height: number; width: number } {
  const width = x.shape.at(-1)!;
  return { width, height: width === 0 ? 0 : sizeOf(x) / width };
}
