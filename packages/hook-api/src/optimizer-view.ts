export interface OptimizerGroupView {
  readonly name: string;
  /** Written by schedules. */
  lr: number;
  /** Written by hooks, 1 by default. The update uses `lr * lrScale`. */
  lrScale: number;
  momentum?: number;
  weightDecay?: number;
}

export interface OptimizerView {
  readonly name: string;
  readonly groups: readonly OptimizerGroupView[];
}
