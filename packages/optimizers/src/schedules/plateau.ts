export interface PlateauOptions {
  /** The metric that should get better; `val/loss` when absent. */
  monitor?: string;
  /** Whether better is lower or higher; `min` when absent. */
  mode?: 'min' | 'max';
  /** What each cut leaves; 0.1 when absent. */
  factor?: number;
  /** How often in a row it may get no better before the cut; 10 when absent. */
  patience?: number;
  /** By how much it must be better to count; 0.0001 when absent. */
  threshold?: number;
  /** `relative` (when absent): the threshold is a share of the best value. `absolute`: it is a difference. */
  thresholdMode?: 'relative' | 'absolute';
  /** How often nothing counts after a cut; 0 when absent. */
  cooldown?: number;
  /** The lowest factor; 0 when absent. */
  min?: number;
}

/** What it remembers, as JSON. */
export interface PlateauState extends Record<string, number | null> {
  factor: number;
  /** `null` before the first value. */
  best: number | null;
  /** Values in a row that were no better. */
  waited: number;
  /** Values that still do not count. */
  resting: number;
}

export interface Plateau {
  readonly monitor: string;
  readonly start: PlateauState;
  /** What follows from one more value of the metric. */
  next(state: PlateauState, value: number): PlateauState;
}

/** Cuts the learning rate when a metric stops getting better. */
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
  const isBetter = (value: number, best: number) => {
    const margin = thresholdMode === 'relative' ? threshold * Math.abs(best) : threshold;
    return mode === 'min' ? value < best - margin : value > best + margin;
  };
  return {
    monitor,
    start: { factor: 1, best: null, waited: 0, resting: 0 },
    next: ({ factor, best, waited, resting }, value) => {
      // NaN is never better, and no best to compare with.
      const better = Number.isFinite(value) && (best === null || isBetter(value, best));
      const state = { factor, best: better ? value : best, resting: Math.max(0, resting - 1) };
      const wait = better || resting > 0 ? 0 : waited + 1;
      if (wait <= patience) return { ...state, waited: wait };
      return { ...state, factor: Math.max(factor * cut, min), waited: 0, resting: cooldown };
    },
  };
}
