import type { Metrics } from '@hookline/hook-api';
import type { LogRecord } from '../session/log-record.js';
import { seriesOf } from './series.js';

/**
 * The numbers of records for backends that keep a curve for each name. A curve has one point a step: what the
 * end of an epoch repeats of its last batch and its validation is left out. What hooks log is always passed on.
 */
export class Curves {
  #step = -1;
  readonly #given = new Set<string>();

  of(record: LogRecord, logged: Metrics): Metrics {
    if (record.step !== this.#step) this.#given.clear();
    this.#step = record.step;
    const points: Record<string, number> = {};
    for (const [name, value] of Object.entries(seriesOf(record, logged))) {
      if (record.event !== 'log' && this.#given.has(name)) continue;
      this.#given.add(name);
      points[name] = value;
    }
    return points;
  }
}
