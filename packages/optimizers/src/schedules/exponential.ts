import type { Curve } from './curve.js';

export interface ExponentialOptions {
  /** What each step or epoch leaves, such as 0.95. */
  gamma: number;
}

export function exponential({ gamma }: ExponentialOptions): Curve {
  return (position) => gamma ** position;
}
