import { sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

/** Activations whose slope follows from their result, with their codes in assembly/fused.ts. */
const SLOPES = { linear: 0, relu: 1, sigmoid: 2, tanh: 3, elu: 4, relu6: 5 } as const;

export type FusedActivation = keyof typeof SLOPES;

export function isFusedActivation(name: string): name is FusedActivation {
  return Object.hasOwn(SLOPES, name);
}

export const ACTIVATION_GRADIENT = 'HooklineActivationGradient';

/** The gradient before the activation, unless that is linear, and the gradient of the bias, when there is one. */
export const ACTIVATION_GRADIENT_KERNEL: TrainingKernel = kernel<
  { dy: Tensor; y: Tensor },
  { activation: FusedActivation; bias: boolean }
>(ACTIVATION_GRADIENT, 'added', (context, { dy, y }, { activation, bias }) => {
  const width = dy.shape.at(-1)!;
  const code = SLOPES[activation];
  const dz = code === 0 ? undefined : context.output(dy.shape);
  const dBias = bias ? context.output([width]) : undefined;
  context.module.activationGradient(
    code,
    context.address(dy),
    context.address(y),
    dz ? context.address(dz) : 0,
    dBias ? context.address(dBias) : 0,
    width === 0 ? 0 : sizeOf(dy) / width,
    width,
  );
  return [dz, dBias].filter((tensor) => tensor !== undefined);
});
