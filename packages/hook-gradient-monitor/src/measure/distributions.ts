import { type HistogramCounts, histogramOf, samplePositions } from '@hookline/numerics';
import type { GradientMonitorRules } from '../options.js';
import { Percentiles } from './percentiles.js';

/** How the finite values of a gradient are distributed. */
export interface Distribution {
  /** In the order of the option. */
  readonly percentiles: readonly number[];
  readonly histogram: HistogramCounts | undefined;
}

/** Makes distributions of at most 4,096 values each, and reuses its memory from one to the next. */
export class Distributions {
  readonly #percentiles: Percentiles;
  readonly #positionsOf = samplePositions();
  #picked = new Float32Array(0);

  constructor(private readonly rules: Pick<GradientMonitorRules, 'percentiles' | 'histogram'>) {
    this.#percentiles = new Percentiles(rules.percentiles);
  }

  /** The positions to look at in a tensor of this size; undefined means all of them. */
  positions(size: number): Int32Array | undefined {
    return this.#positionsOf(size);
  }

  /** Undefined when none of the values it looks at is finite. `areFinite` says that all of them are. */
  of(values: Float32Array, areFinite: boolean): Distribution | undefined {
    const picked = this.#pick(values);
    const sample = areFinite ? picked : picked.filter(Number.isFinite);
    if (sample.length === 0) return undefined;
    return {
      percentiles: this.#percentiles.of(sample),
      histogram: this.rules.histogram ? histogramOf(sample) : undefined,
    };
  }

  /** The values to look at; valid until the next call. */
  #pick(values: Float32Array): Float32Array {
    const positions = this.positions(values.length);
    const length = positions?.length ?? values.length;
    if (this.#picked.length < length) this.#picked = new Float32Array(length);
    const picked = this.#picked.subarray(0, length);
    if (!positions) picked.set(values);
    else for (let i = 0; i < length; i++) picked[i] = values[positions[i]!]!;
    return picked;
  }
}
