/**
 * A schedule as a formula: the factor on the learning rate, by how many steps or epochs the schedule has run.
 * Position 0 is its first step; it is never asked beyond its length.
 */
export type Curve = (position: number) => number;

export interface ConstantOptions {
  /** Multiplies the learning rate; default 1. */
  factor?: number;
}

export function constant({ factor = 1 }: ConstantOptions): Curve {
  return () => factor;
}

export interface StepDecayOptions {
  /** Steps or epochs from one cut to the next. */
  every: number;
  /** What each cut multiplies the learning rate by; default 0.1. */
  gamma?: number;
}

/** Cuts the learning rate at regular intervals. */
export function stepDecay({ every, gamma = 0.1 }: StepDecayOptions): Curve {
  return (position) => gamma ** Math.floor(position / every);
}

export interface ExponentialOptions {
  /** What each step or epoch multiplies the learning rate by, such as 0.95. */
  gamma: number;
}

export function exponential({ gamma }: ExponentialOptions): Curve {
  return (position) => gamma ** position;
}

export interface PolynomialOptions {
  /** Default 1, a straight line. */
  power?: number;
  /** The factor at the end; default 0. */
  to?: number;
}

/** From 1 down to `to`. */
export function polynomial({ power = 1, to = 0 }: PolynomialOptions, length: number): Curve {
  return (position) => to + (1 - to) * (1 - position / length) ** power;
}

export interface WarmupOptions {
  /** The factor of the first step; default 0.01. With 0 the first step would do nothing. */
  from?: number;
}

/** In a straight line up to 1. */
export function warmup({ from = 0.01 }: WarmupOptions, length: number): Curve {
  return (position) => from + (1 - from) * (position / length);
}

export interface CosineOptions {
  /** Steps or epochs of the first cycle, after which it starts again from 1; by default the whole length. */
  cycle?: number;
  /** How many times longer each cycle is than the one before; default 1. */
  growth?: number;
  /** The factor at the end of each cycle; default 0. */
  to?: number;
}

/** From 1 down to `to` along half a cosine wave, once or in cycles. At its length it ends low. */
export function cosine({ cycle, growth = 1, to = 0 }: CosineOptions, length: number): Curve {
  const first = cycle ?? length;
  return (position) => {
    const ended = position === length;
    let [rest, span] = [position, first];
    // Cycles of equal length are skipped at once, so that late positions cost no more than early ones.
    if (growth === 1) rest -= span * Math.max(0, Math.floor(rest / span) - 1);
    // The end of the last cycle is its low point rather than the top of another one.
    while (ended ? rest > span : rest >= span) {
      rest -= span;
      span *= growth;
    }
    return to + ((1 - to) * (1 + Math.cos((Math.PI * rest) / span))) / 2;
  };
}

export interface OneCycleOptions {
  /** The share of the length in which the learning rate rises; default 0.3. */
  rise?: number;
  /** The factor of the first step; default 1/25. */
  from?: number;
  /** The factor of the last step; default 1/250000. */
  to?: number;
  /** Default `cosine`. */
  shape?: 'cosine' | 'linear';
}

/** Up to 1, then down to far below the start: the learning rate of the group is the highest it reaches. */
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
