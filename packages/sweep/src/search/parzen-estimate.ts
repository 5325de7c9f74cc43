import type { RandomGenerator } from '@hookline/numerics';

interface Bell {
  readonly mean: number;
  readonly width: number;
  /** The share of the bell between the bounds: what is outside is cut off. */
  readonly inside: number;
}

/** A density over an interval: an equal mixture of bells, one around each value and a wide one over everything. */
export class ParzenEstimate {
  readonly #bells: readonly Bell[];

  constructor(
    values: readonly number[],
    private readonly bounds: { readonly low: number; readonly high: number },
  ) {
    const { low, high } = bounds;
    const middle = (low + high) / 2;
    const sorted = [...values, middle].sort((a, b) => a - b);
    const narrowest = (high - low) / Math.min(100, sorted.length);
    const bells = sorted.map((mean, i) => {
      // As wide as the farther neighbour is away: narrow where values are dense.
      const gap = Math.max(mean - (sorted[i - 1] ?? mean), (sorted[i + 1] ?? mean) - mean);
      const width = i === sorted.indexOf(middle) ? high - low : Math.max(narrowest, gap);
      return { mean, width };
    });
    this.#bells = bells.map((bell) => ({ ...bell, inside: shareInside(bell, bounds) }));
  }

  draw(random: RandomGenerator): number {
    const bell = this.#bells[Math.floor(random.next() * this.#bells.length)]!;
    const { low, high } = this.bounds;
    // At least a third of any bell lies inside: its width is at most that of the interval and its mean is in it.
    for (;;) {
      const value = bell.mean + bell.width * standardNormal(random);
      if (value >= low && value < high) return value;
    }
  }

  logDensity(value: number): number {
    const total = this.#bells.reduce((sum, { mean, width, inside }) => {
      const distance = (value - mean) / width;
      return sum + Math.exp(-0.5 * distance * distance) / (width * inside);
    }, 0);
    return Math.log(total / this.#bells.length);
  }
}

/** By Box and Muller. */
function standardNormal(random: RandomGenerator): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

function shareInside(
  { mean, width }: { mean: number; width: number },
  { low, high }: { low: number; high: number },
): number {
  return normalShareBelow((high - mean) / width) - normalShareBelow((low - mean) / width);
}

/** Within 1e-7, by Abramowitz and Stegun 26.2.17. */
function normalShareBelow(x: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(x));
  const series =
    t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * series;
  return x >= 0 ? 1 - tail : tail;
}
