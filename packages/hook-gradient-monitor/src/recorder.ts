import type { Tensor } from '@tensorflow/tfjs-core';
import type { Distribution } from './distributions.js';

/** `raw`: the gradients of the step before clipping. `applied`: as the optimizer gets them. */
export type GradientView = 'raw' | 'applied';

/** How much to find out about a gradient; its norm and its non-finite values always. */
export interface Wanted {
  zeros: boolean;
  moments: boolean;
  distribution: boolean;
}

/** What the values of a tensor come to. What was not asked for may be NaN. */
export interface Statistics extends Moments {
  /** NaN or infinite as soon as one value is. */
  readonly sumSquares: number;
  /** How many values are finite. */
  readonly finite: number;
  /** How many values are 0. */
  readonly zeros: number;
}

/** Over the finite values; NaN where there are none. */
export interface Moments {
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly std: number;
}

export const NO_MOMENTS: Moments = {
  min: Number.NaN,
  max: Number.NaN,
  mean: Number.NaN,
  std: Number.NaN,
};

/** What was found out about one gradient. */
export interface Measurement {
  readonly view: GradientView;
  readonly path: string;
  readonly size: number;
  readonly statistics: Statistics;
  /** Of a sample; undefined also when no value in it is finite. */
  readonly distribution: Distribution | undefined;
}

/** How far the update moved one parameter: sums of squares of its values before, and of their change. */
export interface Movement {
  readonly path: string;
  readonly before: number;
  readonly change: number;
}

export interface Readings {
  readonly gradients: readonly Measurement[];
  readonly movements: readonly Movement[];
}

/** Takes the measurements of one step. The tensors it is shown stay the caller's. */
export interface Recorder {
  gradient(view: GradientView, path: string, gradient: Tensor, wanted: Wanted): void;
  weightBefore(path: string, weight: Tensor): void;
  weightAfter(path: string, weight: Tensor): void;
  /** Everything at once: the only place where the device is read. */
  read(): Readings | Promise<Readings>;
  dispose(): void;
}
