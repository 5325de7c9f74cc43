import type { KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';

/**
 * What was done about a kernel: tfjs lacks it (`added`), has it wrong (`corrected`), or has it right and slow
 * (`fast`).
 */
export type KernelState = 'added' | 'corrected' | 'fast';

/** A kernel of tfjs for the wasm backend. */
export interface TrainingKernel {
  readonly name: string;
  readonly state: KernelState;
  /** Undefined for a case it leaves to the stock kernel. */
  readonly run: (context: KernelContext, inputs: never, attrs: never) => Tensor | Tensor[] | undefined;
}

export function kernel<Inputs, Attrs = unknown>(
  name: string,
  state: KernelState,
  run: (context: KernelContext, inputs: Inputs, attrs: Attrs) => Tensor | Tensor[] | undefined,
): TrainingKernel {
  return { name, state, run };
}
