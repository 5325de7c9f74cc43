import { type SharedKey, type SharedMap, sharedKey } from '@hookline/hook-api';

/** A histogram for loggers to take; everything in it is about the same values. */
export interface Histogram {
  /** As the metrics are named: `grad/histogram/dense_1/kernel`. */
  name: string;
  /** Optimizer steps completed, as in `onLog`. */
  step: number;
  min: number;
  max: number;
  /** How many values there are: the sum of `counts`. */
  num: number;
  sum: number;
  sumSquares: number;
  /** From `min` to `max`, one more than there are `counts`. */
  edges: number[];
  /** A value on an edge counts to the right of it; `max` counts to the last. */
  counts: number[];
}

/**
 * Where hooks leave histograms and a logger takes them: a list, oldest first. Whoever takes them empties it. Keys
 * are equal by name, so a logger needs only the name.
 */
export const histogramsKey: SharedKey<Histogram[]> = sharedKey<Histogram[]>('hookline.histograms');

/** With nobody to take them, the oldest are dropped. */
const MOST_KEPT = 1000;

export function leaveHistograms(shared: SharedMap, histograms: readonly Histogram[]): void {
  const list = shared.get(histogramsKey) ?? [];
  list.push(...histograms);
  if (list.length > MOST_KEPT) list.splice(0, list.length - MOST_KEPT);
  shared.set(histogramsKey, list);
}

const BUCKETS = 30;

/** Buckets of equal width; a single one when all values are equal. The values must be finite, and there must be some. */
export function histogramOf(
  values: Float32Array,
): Pick<Histogram, 'min' | 'max' | 'num' | 'sum' | 'sumSquares' | 'edges' | 'counts'> {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let sumSquares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
    sumSquares += value * value;
  }
  const buckets = min < max ? BUCKETS : 1;
  const last = buckets - 1;
  const counts = new Int32Array(buckets);
  const perUnit = min < max ? buckets / (max - min) : 0;
  for (let i = 0; i < values.length; i++) {
    const bucket = Math.floor((values[i]! - min) * perUnit);
    counts[Math.min(bucket, last)]!++;
  }
  const edges = Array.from({ length: buckets + 1 }, (_, edge) =>
    edge === buckets ? max : min + ((max - min) * edge) / buckets,
  );
  return { min, max, num: values.length, sum, sumSquares, edges, counts: [...counts] };
}
