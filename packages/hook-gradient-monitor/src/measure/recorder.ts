import type { TensorMovement, TensorStatistics, WantedStatistics } from '@hookline/numerics';
import type { Tensor } from '@tensorflow/tfjs-core';
import type { Distribution } from './distributions.js';

/** `raw`: the gradients of the step before clipping. `applied`: as the optimizer gets them. */
export type GradientView = 'raw' | 'applied';

/** How much to find out about a gradient; its norm and its non-finite values always. */
export interface Wanted extends WantedStatistics {
  readonly distribution: boolean;
}

/** What was found out about one gradient. */
export interface Measurement {
  readonly view: GradientView;
  readonly path: string;
  readonly size: number;
  /** What was not asked for may be NaN. */
  readonly statistics: TensorStatistics;
  /** Of a sample; undefined also when no value in it is finite. */
  readonly distribution: Distribution | undefined;
}

/** How far the update moved one parameter. */
export interface Movement extends TensorMovement {
  readonly path: string;
}

export interface Readings {
  readonly gradients: readonly Measurement[];
  readonly movements: readonly Movement[];
}

/** Takes the measurements of one step. The tensors that it is shown still belong to the caller. */
export interface Recorder {
  gradient(view: GradientView, path: string, gradient: Tensor, wanted: Wanted): void;
  weightBefore(path: string, weight: Tensor): void;
  weightAfter(path: string, weight: Tensor): void;
  /** Everything at once. This is the only place that reads the device. */
  read(): Readings | Promise<Readings>;
  dispose(): void;
}
