import type { Curve } from './curve.js';

export interface ConstantOptions {
  /** Of the learning rate; 1 when absent. */
  factor?: number;
}

export function constant({ factor = 1 }: ConstantOptions): Curve {
  return () => factor;
}
