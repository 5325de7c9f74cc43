import type { Curve } from './curve.js';

export interface OneCycleOptions {
  /** The share of the length in which it rises; 0.3 when absent. */
  rise?: number;
  /** Where it starts; 1/25 when absent. */
  from?: number;
  /** Where it ends; 1/250000 when absent. */
  to?: number;
  /** `cosine` when absent. */
  shape?: 'cosine' | 'linear';
}

/** Up to 1 and down again, far below where it started: the group's learning rate is the highest. */
export function oneCycle(
  { rise = 0.3, from = 1 / 25, to = from / 1e4, shape = 'cosine' }: OneCycleOptions,
  length: number,
): Curve {
  const between = shape === 'cosine' ? alongCosine : alongLine;
  const last = length - 1;
  const top = rise * length - 1;
  return (position) => {
    const at = Math.min(position, last); // the last of its steps is the lowest
    if (at < top) return between(from, 1, at / top);
    return between(1, to, (at - top) / (last - top));
  };
}

function alongLine(start: number, end: number, share: number): number {
  return start + (end - start) * share;
}

function alongCosine(start: number, end: number, share: number): number {
  return end + ((start - end) * (1 + Math.cos(Math.PI * share))) / 2;
}
