import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const LOSS = 'HooklineLoss';
export const LOSS_GRADIENT = 'HooklineLossGradient';

/** Keeps logarithms finite, as in Keras. */
const EPSILON = 1e-7;

interface Loss {
  /** Whether it computes something that its gradient needs in place of the outputs, and has their shape. */
  readonly keeps?: true;
  value(context: KernelContext, targets: Tensor, outputs: Tensor, kept: Tensor | undefined): number;
  gradient(context: KernelContext, targets: Tensor, outputsOrKept: Tensor, out: Tensor, dy: number): void;
}

/** Means over all samples of the batch. Outputs of the ones with `softmax` and `sigmoid` in their name are logits. */
const LOSSES: Readonly<Record<FusedLossName, Loss>> = {
  meanSquaredError: {
    value: (context, targets, outputs) =>
      context.module.meanSquaredError(context.address(outputs), context.address(targets), sizeOf(outputs)),
    gradient: (context, targets, outputs, out, dy) =>
      context.module.meanSquaredErrorGradient(
        context.address(outputs),
        context.address(targets),
        context.address(out),
        sizeOf(outputs),
        dy,
      ),
  },
  binaryCrossentropy: {
    value: (context, targets, outputs) =>
      context.module.binaryCrossentropy(
        context.address(outputs),
        context.address(targets),
        sizeOf(outputs),
        EPSILON,
      ),
    gradient: (context, targets, outputs, out, dy) =>
      context.module.binaryCrossentropyGradient(
        context.address(outputs),
        context.address(targets),
        context.address(out),
        sizeOf(outputs),
        EPSILON,
        dy,
      ),
  },
  sigmoidCrossentropy: {
    value: (context, targets, outputs) =>
      context.module.sigmoidCrossentropy(context.address(outputs), context.address(targets), sizeOf(outputs)),
    gradient: (context, targets, outputs, out, dy) =>
      context.module.sigmoidCrossentropyGradient(
        context.address(outputs),
        context.address(targets),
        context.address(out),
        sizeOf(outputs),
        dy,
      ),
  },
  categoricalCrossentropy: {
    value: (context, targets, outputs) => {
      const [height, width] = rowsOf(outputs);
      const [p, y] = [context.address(outputs), context.address(targets)];
      return context.module.categoricalCrossentropy(p, y, height, width, EPSILON);
    },
    gradient: (context, targets, outputs, out, dy) => {
      const [height, width] = rowsOf(outputs);
      const [p, y, to] = [context.address(outputs), context.address(targets), context.address(out)];
      context.module.categoricalCrossentropyGradient(p, y, to, height, width, EPSILON, dy);
    },
  },
  softmaxCrossentropy: {
    // The probabilities.
    keeps: true,
    value: (context, targets, outputs, kept) => {
      const [height, width] = rowsOf(outputs);
      const [x, y, probabilities] = [outputs, targets, kept!].map((tensor) => context.address(tensor));
      return context.module.softmaxCrossentropy(x!, y!, probabilities!, height, width);
    },
    gradient: (context, targets, probabilities, out, dy) => {
      const [height, width] = rowsOf(out);
      const [p, y, to] = [probabilities, targets, out].map((tensor) => context.address(tensor));
      context.module.softmaxCrossentropyGradient(p!, y!, to!, height, width, dy);
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
  // The loss, and what its gradient needs: that, or the outputs themselves.
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

function rowsOf(x: Tensor): [number, number] {
  const width = x.shape.at(-1) ?? 1;
  return [sizeOf(x) / width, width];
}
