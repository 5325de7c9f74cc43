import type { TensorMovement, TensorStatistics } from '@hookline/numerics';
import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';

const NONE = { min: Number.NaN, max: Number.NaN, mean: Number.NaN, std: Number.NaN };

/** Of all tensors together. Their memory is looked at once, in the end: each look makes an array. */
export function sumOfSquares(context: KernelContext, tensors: readonly Tensor[]): number {
  const out = context.scratch('squares', tensors.length * 2);
  for (const [index, tensor] of tensors.entries()) {
    context.module.sumOfSquares(context.address(tensor), sizeOf(tensor), out + index * 8);
  }
  return numbersAt(context, out, tensors.length).reduce((total, squares) => total + squares, 0);
}

/** In one pass over the memory of the backend, in double precision. */
export function statisticsOf(context: KernelContext, tensor: Tensor): TensorStatistics {
  const out = context.scratch('statistics', 16);
  context.module.statistics(context.address(tensor), sizeOf(tensor), out);
  const [sumSquares, finite, zeros, min, max, sum, deviations] = numbersAt(context, out, 7) as SevenNumbers;
  if (finite === 0) return { sumSquares, finite, zeros, ...NONE };
  return { sumSquares, finite, zeros, min, max, mean: sum / finite, std: Math.sqrt(deviations / finite) };
}

/** The sum of squares of `before`, and of its differences from `after`. */
export function movementOf(context: KernelContext, before: Tensor, after: Tensor): TensorMovement {
  const out = context.scratch('statistics', 16);
  context.module.movement(context.address(before), context.address(after), sizeOf(before), out);
  const [squares, change] = numbersAt(context, out, 2) as [number, number];
  return { before: squares, change };
}

type SevenNumbers = [number, number, number, number, number, number, number];

function numbersAt({ backend }: KernelContext, address: number, count: number): number[] {
  return [...new Float64Array(backend.wasm.asm.memory.buffer, address, count)];
}
