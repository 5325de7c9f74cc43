export interface Comparison {
  /** `min`: lower is better. `max`: higher is better. */
  mode: 'min' | 'max';
  /** How much better a value must be, and then some: a gain of exactly `minDelta` is none. */
  minDelta: number;
}

/** Whether `value` is better than `best` by more than `minDelta`. Anything but NaN is better than no best. */
export function isBetter(value: number, best: number | undefined, { mode, minDelta }: Comparison): boolean {
  if (Number.isNaN(value)) return false;
  if (best === undefined) return true;
  return (mode === 'min' ? best - value : value - best) > minDelta;
}
