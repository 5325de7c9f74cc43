import type { Metrics, OptimizerView } from '@hookline/hook-api';
import type { LrMonitorOptions } from './options.js';
import { type Series, seriesOf, valuesOf } from './series.js';

/**
 * A constant rate in every line of a log is noise, and a rate that is logged only when it changes is drawn as a slope
 * on a chart: what does not change is repeated at this pace.
 */
const REPEAT_EVERY = 100;

/** The rates of one fit: what they are, and which of them are worth a line. */
export class LrSession {
  /** By optimizer. */
  readonly #series: readonly (readonly Series[])[];
  /** As of the latest step. */
  readonly #latest: Record<string, number> = {};

  constructor(optimizers: readonly OptimizerView[], options: LrMonitorOptions) {
    this.#series = seriesOf(optimizers, options);
  }

  get latest(): Metrics {
    return this.#latest;
  }

  get hasValues(): boolean {
    return Object.keys(this.#latest).length > 0;
  }

  /** Takes the values of one optimizer; returns them when they are due: one has changed, or it is time to repeat them. */
  beforeStep(step: number, optimizerIndex: number): Metrics | undefined {
    const values = valuesOf(this.#series[optimizerIndex] ?? []);
    const isDue = (step + 1) % REPEAT_EVERY === 0 || this.#hasChanged(values);
    Object.assign(this.#latest, values);
    return isDue ? values : undefined;
  }

  #hasChanged(values: Metrics): boolean {
    return Object.entries(values).some(([name, value]) => !Object.is(value, this.#latest[name]));
  }
}
