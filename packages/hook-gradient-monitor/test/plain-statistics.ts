/** Every statistic once more, written the slow and obvious way. */
export const plain = {
  norm: (values: readonly number[]): number => Math.hypot(...values),
  min: (values: readonly number[]): number => Math.min(...values),
  max: (values: readonly number[]): number => Math.max(...values),
  mean: (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length,
  std: (values: readonly number[]): number => {
    const mean = plain.mean(values);
    return Math.sqrt(plain.mean(values.map((value) => (value - mean) ** 2)));
  },
  zeros: (values: readonly number[]): number => values.filter((value) => value === 0).length / values.length,
  percentile: (values: readonly number[], percentile: number): number => {
    const sorted = values.toSorted((a, b) => a - b);
    const place = (percentile / 100) * (sorted.length - 1);
    const [below, above] = [sorted[Math.floor(place)]!, sorted[Math.ceil(place)]!];
    return below + (above - below) * (place - Math.floor(place));
  },
  updateRatio: (before: readonly number[], after: readonly number[]): number =>
    plain.norm(after.map((value, i) => value - before[i]!)) / plain.norm(before),
};
