import type { KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';

/**
 * Why a kernel is here: tfjs does not have it (`added`), gets it wrong (`corrected`), or gets it right but slowly
 * (`fast`).
 */
export type KernelState = 'added' | 'corrected' | 'fast';

/** A kernel of tfjs for the wasm backend. */
export interface TrainingKernel {
  readonly name: string;
  readonly state: KernelState;
  /** Returns undefined for a case that it leaves to the stock kernel. */
  readonly run: (context: KernelContext, inputs: never, attrs: never) => Tensor | Tensor[] | undefined;
}

export function kernel<Inputs, Attrs = unknown>(
  name: string,
  state: KernelState,
  run: (context: KernelContext, inputs: Inputs, attrs: Attrs) => Tensor | Tensor[] | undefined,
): TrainingKernel {
  return { name, state, run };
}
