import type { Metrics } from '@hookline/hook-api';
import { formatCount, formatNumber, NUMBER_WIDTH } from './format.js';

/** What the trainer computes: means over samples, which are shown with their digits even where they are whole. */
const MEANS = /^(train|val|test)\//;

/** A number as it is printed, and how wide its column is at least. */
export interface ShownNumber {
  readonly text: string;
  readonly width: number;
}

/**
 * Remembers what hooks have logged under each name, to print it as a person expects it: a series that has been whole
 * so far is a count and has no digits after the point; one that has been 0 so far, such as the number of vanishing
 * gradients, is not worth a place on the line.
 */
export class LoggedSeries {
  readonly #nonZero = new Set<string>();
  readonly #fractional = new Set<string>();

  /** `showsAll`: whoever has named the metrics gets all of them. */
  constructor(private readonly showsAll: boolean) {}

  note(metrics: Metrics): void {
    for (const [name, value] of Object.entries(metrics)) {
      if (value !== 0) this.#nonZero.add(name);
      if (!Number.isSafeInteger(value)) this.#fractional.add(name);
    }
  }

  worthShowing(metrics: Metrics): Metrics {
    if (this.showsAll) return metrics;
    const isWorthIt = (name: string) => isBrief(name) && (MEANS.test(name) || this.#nonZero.has(name));
    return Object.fromEntries(Object.entries(metrics).filter(([name]) => isWorthIt(name)));
  }

  format(name: string, value: number): ShownNumber {
    const isCount = Number.isSafeInteger(value) && !MEANS.test(name) && !this.#fractional.has(name);
    return isCount
      ? { text: formatCount(value), width: 1 }
      : { text: formatNumber(value), width: NUMBER_WIDTH };
  }
}

/**
 * Series of single parameters and layers (`grad/norm/dense_1/kernel`) would fill the screen, the learning rate has its
 * place in the line already, and what checkpoints cost is for curves.
 */
function isBrief(name: string): boolean {
  return name.split('/').length === 2 && !/^(lr|checkpoint)\//.test(name);
}
