import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { blocksOf, LOSS_NUMBERS } from './blocks.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const LOSS = 'HooklineLoss';
export const LOSS_GRADIENT = 'HooklineLossGradient';

/** Keeps logarithms finite, as in Keras. */
const EPSILON = 1e-7;

interface Loss {
  /** Whether it computes something of the outputs' shape that its gradient needs instead of them. */
  readonly keeps?: true;
  /** How many there are of what it is the mean of, and of the sums that it leaves. */
  count(outputs: Tensor): { mean: number; totals: number };
  /** Leaves sums of the loss in `totals`. */
  value(
    context: KernelContext,
    targets: Tensor,
    outputs: Tensor,
    kept: Tensor | undefined,
    totals: Address,
  ): void;
  /** `share` is what arrives, divided by the count of the mean. */
  gradient(context: KernelContext, targets: Tensor, outputsOrKept: Tensor, out: Tensor, share: number): void;
}

/** Means over the batch. The losses with `softmax` or `sigmoid` in their name take logits. */
const LOSSES: Readonly<Record<FusedLossName, Loss>> = {
  meanSquaredError: ofNumbers('meanSquaredError'),
  sigmoidCrossentropy: ofNumbers('sigmoidCrossentropy'),
  binaryCrossentropy: ofProbabilities('binaryCrossentropy', sizeOf),
  categoricalCrossentropy: ofProbabilities('categoricalCrossentropy', (outputs) => rowsOf(outputs)[0]),
  softmaxCrossentropy: {
    // The probabilities.
    keeps: true,
    count: (outputs) => ({ mean: rowsOf(outputs)[0], totals: rowsOf(outputs)[0] }),
    value: (context, targets, outputs, kept, totals) => {
      const [height, width] = rowsOf(outputs);
      const [x, y, probabilities] = context.addresses(outputs, targets, kept!);
      context.module.softmaxCrossentropy(x, y, probabilities, totals, height, width);
    },
    gradient: (context, targets, probabilities, out, share) => {
      const [height, width] = rowsOf(out);
      const [p, y, to] = context.addresses(probabilities, targets, out);
      context.module.softmaxCrossentropyGradient(p, y, to, height, width, share);
    },
  },
};

export type FusedLossName =
  | 'meanSquaredError'
  | 'binaryCrossentropy'
  | 'sigmoidCrossentropy'
  | 'categoricalCrossentropy'
  | 'softmaxCrossentropy';

export function isFusedLoss(name: string): name is FusedLossName {
  return Object.hasOwn(LOSSES, name);
}

interface Inputs {
  targets: Tensor;
  outputs: Tensor;
}

export const LOSS_KERNELS: readonly TrainingKernel[] = [
  // The loss, and what its gradient needs: what was kept, or the outputs themselves.
  kernel<Inputs, { loss: FusedLossName }>(LOSS, 'added', (context, { targets, outputs }, { loss }) => {
    const kept = LOSSES[loss].keeps ? context.output(outputs.shape) : undefined;
    const value = context.output([]);
    const count = LOSSES[loss].count(outputs);
    const totals = context.scratch('totals', 2 * count.totals);
    LOSSES[loss].value(context, targets, outputs, kept, totals);
    context.module.joinTotals(totals, context.address(value), count.totals, count.mean);
    return [value, kept ?? context.alias(outputs, outputs.shape)];
  }),

  kernel<{ targets: Tensor; kept: Tensor; dy: Tensor }, { loss: FusedLossName }>(
    LOSS_GRADIENT,
    'added',
    (context, { targets, kept, dy }, { loss }) => {
      const out = context.output(kept.shape);
      const arriving = context.backend.typedArrayFromHeap(dy)[0]!;
      LOSSES[loss].gradient(context, targets, kept, out, arriving / LOSSES[loss].count(kept).mean);
      return out;
    },
  ),
];

/** A loss that treats all numbers alike, and has no settings. */
function ofNumbers(name: 'meanSquaredError' | 'sigmoidCrossentropy'): Loss {
  return {
    count: (outputs) => ({ mean: sizeOf(outputs), totals: blocksOf(sizeOf(outputs), LOSS_NUMBERS) }),
    value: (context, targets, outputs, _kept, totals) => {
      const [x, y] = context.addresses(outputs, targets);
      context.module[name](x, y, totals, sizeOf(outputs));
    },
    gradient: (context, targets, outputs, out, share) => {
      const [x, y, to] = context.addresses(outputs, targets, out);
      context.module[`${name}Gradient`](x, y, to, sizeOf(outputs), share);
    },
  };
}

/** A loss of probabilities, whose logarithms are kept finite. */
function ofProbabilities(
  name: 'binaryCrossentropy' | 'categoricalCrossentropy',
  mean: (outputs: Tensor) => number,
): Loss {
  return {
    count: (outputs) => ({ mean: mean(outputs), totals: blocksOf(sizeOf(outputs), LOSS_NUMBERS) }),
    value: (context, targets, outputs, _kept, totals) => {
      const [p, y] = context.addresses(outputs, targets);
      context.module[name](p, y, totals, sizeOf(outputs), EPSILON);
    },
    gradient: (context, targets, outputs, out, share) => {
      const [p, y, to] = context.addresses(outputs, targets, out);
      context.module[`${name}Gradient`](p, y, to, sizeOf(outputs), EPSILON, share);
    },
  };
}

function rowsOf(x: Tensor): [number, number] {
  const width = x.shape.at(-1) ?? 1;
  return [sizeOf(x) / width, width];
}
