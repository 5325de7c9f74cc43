import type { Curve } from './curve.js';

export interface PolynomialOptions {
  /** 1, a straight line, when absent. */
  power?: number;
  /** Where it ends; 0 when absent. */
  to?: number;
}

/** From 1 down to `to`. */
export function polynomial({ power = 1, to = 0 }: PolynomialOptions, length: number): Curve {
  return (position) => to + (1 - to) * (1 - position / length) ** power;
}
