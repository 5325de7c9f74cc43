import type { Metrics } from '@hookline/hook-api';
import { trainerError } from '../errors.js';

/** The latest value of every metric, and what was logged since the last boundary. */
export class MetricLog {
  readonly latest: Record<string, number> = {};
  #pending: Record<string, number> | undefined;

  /** Logged by a hook: reported through `onLog` at the next boundary. */
  add(values: Metrics): void {
    const bare = Object.keys(values).find((name) => !name.includes('/'));
    if (bare !== undefined) {
      throw trainerError(
        'METRIC_NAME',
        `ctx.log was given "${bare}". Metric names have a prefix and a slash, such as "train/${bare}" or "my-hook/${bare}".`,
      );
    }
    this.#pending = { ...this.#pending, ...values };
    Object.assign(this.latest, values);
  }

  /** Measured by the loop, which has its own events for it. */
  note(metrics: Metrics): void {
    Object.assign(this.latest, metrics);
  }

  /** What was logged since the last time; undefined when that is nothing. */
  take(): Metrics | undefined {
    const values = this.#pending;
    this.#pending = undefined;
    return values;
  }

  get pending(): Metrics {
    return { ...this.#pending };
  }

  set pending(values: Metrics) {
    if (Object.keys(values).length > 0) this.#pending = { ...values };
  }
}
