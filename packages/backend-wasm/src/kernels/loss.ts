import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const LOSS = 'HooklineLoss';
export const LOSS_GRADIENT = 'HooklineLossGradient';

/** Keeps logarithms finite, as in Keras. */
const EPSILON = 1e-7;

interface Loss {
  /** Whether it computes something of the outputs' shape that its gradient needs instead of them. */
  readonly keeps?: true;
  value(context: KernelContext, targets: Tensor, outputs: Tensor, kept: Tensor | undefined): number;
  gradient(context: KernelContext, targets: Tensor, outputsOrKept: Tensor, out: Tensor, dy: number): void;
}

/** Means over the batch. The losses with `softmax` or `sigmoid` in their name take logits. */
const LOSSES: Readonly<Record<FusedLossName, Loss>> = {
  meanSquaredError: ofNumbers('meanSquaredError'),
  sigmoidCrossentropy: ofNumbers('sigmoidCrossentropy'),
  binaryCrossentropy: {
    value: (context, targets, outputs) => {
      const [p, y] = context.addresses(outputs, targets);
      return context.module.binaryCrossentropy(p, y, sizeOf(outputs), EPSILON);
    },
    gradient: (context, targets, outputs, out, dy) => {
      const [p, y, to] = context.addresses(outputs, targets, out);
      context.module.binaryCrossentropyGradient(p, y, to, sizeOf(outputs), EPSILON, dy);
    },
  },
  categoricalCrossentropy: {
    value: (context, targets, outputs) => {
      const [height, width] = rowsOf(outputs);
      const [p, y] = context.addresses(outputs, targets);
      return context.module.categoricalCrossentropy(p, y, height, width, EPSILON);
    },
    gradient: (context, targets, outputs, out, dy) => {
      const [height, width] = rowsOf(outputs);
      const [p, y, to] = context.addresses(outputs, targets, out);
      context.module.categoricalCrossentropyGradient(p, y, to, height, width, EPSILON, dy);
    },
  },
  softmaxCrossentropy: {
    // The probabilities.
    keeps: true,
    value: (context, targets, outputs, kept) => {
      const [height, width] = rowsOf(outputs);
      const [x, y, probabilities] = context.addresses(outputs, targets, kept!);
      return context.module.softmaxCrossentropy(x, y, probabilities, height, width);
    },
    gradient: (context, targets, probabilities, out, dy) => {
      const [height, width] = rowsOf(out);
      const [p, y, to] = context.addresses(probabilities, targets, out);
      context.module.softmaxCrossentropyGradient(p, y, to, height, width, dy);
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
    const value = context.filled([], LOSSES[loss].value(context, targets, outputs, kept));
    return [value, kept ?? context.alias(outputs, outputs.shape)];
  }),

  kernel<{ targets: Tensor; kept: Tensor; dy: Tensor }, { loss: FusedLossName }>(
    LOSS_GRADIENT,
    'added',
    (context, { targets, kept, dy }, { loss }) => {
      const out = context.output(kept.shape);
      LOSSES[loss].gradient(context, targets, kept, out, context.backend.typedArrayFromHeap(dy)[0]!);
      return out;
    },
  ),
];

/** A loss that treats all numbers alike, and has no settings. */
function ofNumbers(name: 'meanSquaredError' | 'sigmoidCrossentropy'): Loss {
  return {
    value: (context, targets, outputs) => {
      const [x, y] = context.addresses(outputs, targets);
      return context.module[name](x, y, sizeOf(outputs));
    },
    gradient: (context, targets, outputs, out, dy) => {
      const [x, y, to] = context.addresses(outputs, targets, out);
      context.module[`${name}Gradient`](x, y, to, sizeOf(outputs), dy);
    },
  };
}

function rowsOf(x: Tensor): [number, number] {
  const width = x.shape.at(-1) ?? 1;
  return [sizeOf(x) / width, width];
}
