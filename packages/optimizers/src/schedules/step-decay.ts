import type { Curve } from './curve.js';

export interface StepDecayOptions {
  /** Steps or epochs from one cut to the next. */
  every: number;
  /** What each cut leaves; 0.1 when absent. */
  gamma?: number;
}

/** Cuts the learning rate again and again. */
export function stepDecay({ every, gamma = 0.1 }: StepDecayOptions): Curve {
  return (position) => gamma ** Math.floor(position / every);
}
