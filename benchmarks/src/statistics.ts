/** Ratios of paired rounds, summed up. */
export interface Spread {
  median: number;
  /** Where the middle half of the rounds lies. */
  quartiles: [low: number, high: number];
  /** Holds the true median with 95 % confidence. */
  interval: [low: number, high: number];
  rounds: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    quartiles: [quantile(sorted, 0.25), quantile(sorted, 0.75)],
    interval: medianInterval(sorted),
    rounds: sorted.length,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position % 1);
}

/**
 * Two order statistics, from the binomial distribution of how many values lie below the median. It assumes nothing
 * about the noise, and noise on a shared machine is anything but normal.
 */
function medianInterval(sorted: readonly number[]): [low: number, high: number] {
  const count = sorted.length;
  let probability = 0.5 ** count;
  let below = probability;
  let rank = 0;
  while (below <= 0.025) {
    rank++;
    probability *= (count - rank + 1) / rank;
    below += probability;
  }
  // `rank` values may be left out at each end.
  const left = Math.min(Math.max(0, rank - 1), (count - 1) >> 1);
  return [sorted[left]!, sorted[count - 1 - left]!];
}
