import type { TapEvent, TapGradientEvent, TapInputEvent } from '@hookline/layer-taps';
import { type HistogramCounts, histogramOf } from '@hookline/numerics';
import { bytesOf } from '../bytes.js';
import type { Sighting } from '../capture/captured-state.js';
import type { Meter } from '../measure/meter.js';
import {
  deadOf,
  merged,
  normOf,
  ONLY_SUMS,
  type Statistics,
  stdOf,
  type Wanted,
} from '../measure/statistics.js';

/**
 * `sparsity`: the part of the values that are 0. `dead`: the part of the units that are 0 for every sample of the
 * batch. `time`: milliseconds in the layer. `bytes`: of its outputs. `gradient`: norm of the gradient of the outputs.
 */
export type MonitoringMetric =
  | 'mean'
  | 'std'
  | 'norm'
  | 'min'
  | 'max'
  | 'sparsity'
  | 'dead'
  | 'nonFinite'
  | 'histogram'
  | 'time'
  | 'bytes'
  | 'gradient';

/** What a monitoring hook found out about a layer in one forward pass, all calls of the layer together. */
export interface LayerMetrics extends Omit<Sighting, 'callIndex'> {
  /** How often the layer was called in the pass. */
  readonly calls: number;
  /** By metric. What could not be measured is left out: a point of a module takes no time. */
  readonly values: Readonly<Partial<Record<Exclude<MonitoringMetric, 'histogram'>, number>>>;
  readonly histogram?: HistogramCounts;
}

interface Collected extends Omit<Sighting, 'callIndex'> {
  calls: number;
  bytes: number;
  milliseconds: number | undefined;
  outputs: Statistics | undefined;
  gradients: Statistics | undefined;
}

/** Collects the metrics of one monitoring hook. The newest few passes of each layer are kept. */
export class Monitor {
  /** Oldest first. */
  #collected: Collected[] = [];
  readonly #latest = new Map<string, Collected>();
  readonly #started = new Map<string, { pass: number; callIndex: number; time: number }>();
  readonly #wanted: Wanted;

  constructor(
    readonly metrics: readonly MonitoringMetric[],
    private readonly meter: Meter,
    private readonly most: number,
  ) {
    this.#wanted = {
      range: metrics.includes('min') || metrics.includes('max'),
      alive: metrics.includes('dead'),
      sample: metrics.includes('histogram'),
    };
  }

  before({ path, pass, callIndex }: TapInputEvent): void {
    this.#started.set(path, { pass, callIndex, time: performance.now() });
  }

  after({ path, outputs, output }: TapEvent, { callIndex, ...sighting }: Sighting): void {
    const now = performance.now();
    // Of this very call: one that threw has no end.
    const started = this.#started.get(path);
    const isStarted = started?.pass === sighting.pass && started.callIndex === callIndex;
    const collected = this.#of(path, sighting);
    collected.calls++;
    if (isStarted) collected.milliseconds = (collected.milliseconds ?? 0) + now - started.time;
    for (const each of outputs) collected.bytes += bytesOf(each);
    if (!this.metrics.some((metric) => OF_VALUES.has(metric))) return;
    this.meter.measure(output, this.#wanted, (statistics) => {
      collected.outputs = merged(collected.outputs, statistics);
    });
  }

  backward({ path, pass, gradient }: TapGradientEvent): void {
    const collected = this.#collected.findLast((each) => each.path === path && each.pass === pass);
    if (!collected) return;
    this.meter.measure(gradient, ONLY_SUMS, (statistics) => {
      collected.gradients = merged(collected.gradients, statistics);
    });
  }

  /** Oldest first; the meter has been read. */
  records(): LayerMetrics[] {
    return this.#collected.map((collected) => this.#record(collected));
  }

  /** One for each layer; the meter has been read. */
  latest(): LayerMetrics[] {
    return [...this.#latest.values()].map((collected) => this.#record(collected));
  }

  clear(): void {
    this.#collected = [];
    this.#latest.clear();
    this.#started.clear();
  }

  #of(path: string, sighting: Omit<Sighting, 'callIndex'>): Collected {
    const latest = this.#latest.get(path);
    if (latest?.pass === sighting.pass) return latest;
    const collected = {
      ...sighting,
      calls: 0,
      bytes: 0,
      milliseconds: undefined,
      outputs: undefined,
      gradients: undefined,
    };
    this.#latest.set(path, collected);
    this.#collected.push(collected);
    if (this.#collected.length > this.most * this.#latest.size) this.#collected.shift();
    return collected;
  }

  #record({ outputs, gradients, milliseconds, bytes, ...collected }: Collected): LayerMetrics {
    const values: Partial<Record<MonitoringMetric, number>> = {};
    const record = (metric: MonitoringMetric, value: number | undefined): void => {
      if (value !== undefined && this.metrics.includes(metric)) values[metric] = value;
    };
    if (outputs) for (const [metric, value] of OF_VALUES) record(metric, value?.(outputs));
    record('time', milliseconds);
    record('bytes', bytes);
    record('gradient', gradients && normOf(gradients));
    const sample = outputs?.sample?.filter(Number.isFinite);
    return { ...collected, values, ...(sample?.length && { histogram: histogramOf(sample) }) };
  }
}

const OF_VALUES: ReadonlyMap<MonitoringMetric, ((statistics: Statistics) => number) | undefined> = new Map([
  ['mean', ({ mean }: Statistics) => mean],
  ['std', stdOf],
  ['norm', normOf],
  ['min', ({ min }: Statistics) => min],
  ['max', ({ max }: Statistics) => max],
  ['sparsity', ({ zeros, count }: Statistics) => zeros / count],
  ['dead', deadOf],
  ['nonFinite', ({ nonFinite }: Statistics) => nonFinite],
  ['histogram', undefined],
]);
