import type { Tensor } from '../backend.js';
import { areFloats, type KernelContext, sizeOf } from '../kernel-context.js';
import type { Address } from '../module/exports.js';
import { kernel, type TrainingKernel } from '../training-kernel.js';

export const STATISTICS = 'HooklineStatistics';
export const MOVEMENT = 'HooklineMovement';

/** No tensor holds doubles: what is found out is written to `into`, and nothing is returned. */
interface Attrs {
  into: Float64Array;
}

export const STATISTICS_KERNELS: readonly TrainingKernel[] = [
  /**
   * The sum of all squares, not finite where a value is not; how many values are finite; how many are 0; then of the
   * finite ones the smallest and the largest, their sum, and the sum of their squared differences from the mean.
   */
  kernel<{ x: Tensor }, Attrs>(STATISTICS, 'added', (context, { x }, { into }) => {
    if (!areFloats(x)) return undefined;
    const out = room(context);
    context.module.statistics(context.address(x), sizeOf(x), out);
    return deliver(context, out, 7, into);
  }),

  /** The sum of squares of `before`, and of its differences from `after`. */
  kernel<{ before: Tensor; after: Tensor }, Attrs>(
    MOVEMENT,
    'added',
    (context, { before, after }, { into }) => {
      if (!areFloats(before, after) || sizeOf(before) !== sizeOf(after)) return undefined;
      const out = room(context);
      context.module.movement(context.address(before), context.address(after), sizeOf(before), out);
      return deliver(context, out, 2, into);
    },
  ),
];

function room(context: KernelContext): Address {
  return context.scratch('statistics', 16);
}

function deliver({ backend }: KernelContext, from: Address, count: number, into: Float64Array): [] {
  into.set(new Float64Array(backend.wasm.asm.memory.buffer, from, count));
  return [];
}
