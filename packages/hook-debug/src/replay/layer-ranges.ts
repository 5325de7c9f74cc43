import { countNonFinite, type NonFiniteValues } from '../check/non-finite-values.js';
import type { ReadOutput } from './held-outputs.js';

/** The outputs of one layer in a forward pass, all its uses together. */
export interface LayerRange {
  readonly path: string;
  readonly shape: readonly number[];
  /** Over the finite values; NaN when there are none. */
  readonly min: number;
  readonly max: number;
  /** Of the first use whose output is bad. */
  readonly bad: (NonFiniteValues & { callIndex: number }) | undefined;
}

/** Collects the outputs of the layers of a pass, in the order in which they were first computed. */
export class LayerRanges {
  readonly #ranges = new Map<string, LayerRange>();
  #firstBad: string | undefined;

  add({ path, callIndex, shape, values }: ReadOutput): void {
    const known = this.#ranges.get(path);
    let [min, max] = [known?.min ?? Number.NaN, known?.max ?? Number.NaN];
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      if (typeof value !== 'number' || !Number.isFinite(value)) continue;
      if (!(value >= min)) min = value;
      if (!(value <= max)) max = value;
    }
    const found = known?.bad ? undefined : countNonFinite(path, values, shape);
    const bad = known?.bad ?? (found && { ...found, callIndex });
    if (bad) this.#firstBad ??= path;
    this.#ranges.set(path, { path, shape, min, max, bad });
  }

  all(): LayerRange[] {
    return [...this.#ranges.values()];
  }

  /** The first in time: an RNN whose last step is bad comes after a layer that was bad before that step. */
  get firstBad(): string | undefined {
    return this.#firstBad;
  }
}
