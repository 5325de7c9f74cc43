import type { Curve } from './curve.js';

export interface WarmupOptions {
  /** Where it starts; 0.01 when absent. The first step at 0 would do nothing. */
  from?: number;
}

/** In a straight line up to 1. */
export function warmup({ from = 0.01 }: WarmupOptions, length: number): Curve {
  return (position) => from + (1 - from) * (position / length);
}
