import type { Curve } from './curve.js';

export interface CosineOptions {
  /** Steps or epochs of the first cycle, after which it starts again from 1; the whole length when absent. */
  cycle?: number;
  /** How many times longer each cycle is than the one before; 1 when absent. */
  growth?: number;
  /** Where each cycle ends; 0 when absent. */
  to?: number;
}

/** From 1 down to `to` along half a wave, once or in cycles. At its length it ends low. */
export function cosine({ cycle, growth = 1, to = 0 }: CosineOptions, length: number): Curve {
  const first = cycle ?? length;
  return (position) => {
    const ended = position === length;
    let [rest, span] = [position, first];
    // Cycles of one length are left out at once, so that late positions cost no more than early ones.
    if (growth === 1) rest -= span * Math.max(0, Math.floor(rest / span) - 1);
    // The end of the last cycle is its low point rather than the top of another one.
    while (ended ? rest > span : rest >= span) {
      rest -= span;
      span *= growth;
    }
    return to + ((1 - to) * (1 + Math.cos((Math.PI * rest) / span))) / 2;
  };
}
