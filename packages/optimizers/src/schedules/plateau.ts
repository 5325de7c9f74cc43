export interface PlateauOptions {
  /** The metric that should improve; default `val/loss`. */
  monitor?: string;
  /** Whether lower or higher is better; default `min`. */
  mode?: 'min' | 'max';
  /** What each cut multiplies the learning rate by; default 0.1. */
  factor?: number;
  /** How many values in a row may fail to improve before a cut; default 10. */
  patience?: number;
  /** How large an improvement must be to count; default 0.0001. */
  threshold?: number;
  /** `relative` (default): the threshold is a share of the best value. `absolute`: it is a difference. */
  thresholdMode?: 'relative' | 'absolute';
  /** How many values after a cut are not counted as failures; default 0. */
  cooldown?: number;
  /** The lowest factor; default 0. */
  min?: number;
}

/** What it remembers, as JSON. */
export interface PlateauState extends Record<string, number | null> {
  factor: number;
  /** `null` before the first value. */
  best: number | null;
  /** Values in a row that did not improve. */
  waited: number;
  /** Values left in the cooldown. */
  resting: number;
}

export interface Plateau {
  readonly monitor: string;
  readonly start: PlateauState;
  /** The state after one more value of the metric. */
  next(state: PlateauState, value: number): PlateauState;
}

/** Cuts the learning rate when a metric stops improving. */
export function plateau({
  monitor = 'val/loss',
  mode = 'min',
  factor: cut = 0.1,
  patience = 10,
  threshold = 1e-4,
  thresholdMode = 'relative',
  cooldown = 0,
  min = 0,
}: PlateauOptions): Plateau {
  const direction = mode === 'min' ? -1 : 1;
  const isBetter = (value: number, best: number) => {
    // Rounded as in PyTorch, whose relative threshold goes the wrong way where the best value is negative.
    const goal =
      thresholdMode === 'relative'
        ? best * (1 + direction * Math.sign(best) * threshold)
        : best + direction * threshold;
    return mode === 'min' ? value < goal : value > goal;
  };
  return {
    monitor,
    start: { factor: 1, best: null, waited: 0, resting: 0 },
    next: ({ factor, best, waited, resting }, value) => {
      // NaN is never better, and never becomes the best value.
      const better = Number.isFinite(value) && (best === null || isBetter(value, best));
      const state = { factor, best: better ? value : best, resting: Math.max(0, resting - 1) };
      const wait = better || resting > 0 ? 0 : waited + 1;
      if (wait <= patience) return { ...state, waited: wait };
      return { ...state, factor: Math.max(factor * cut, min), waited: 0, resting: cooldown };
    },
  };
}
