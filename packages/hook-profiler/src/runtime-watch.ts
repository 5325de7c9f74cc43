import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { type Delay, DelayWatch } from './delay-watch.js';

/** One garbage collection, in milliseconds as `performance.now()` gives them. */
export interface Collection {
  readonly start: number;
  readonly end: number;
}

export interface RuntimeTotals {
  readonly count: number;
  readonly milliseconds: number;
  readonly longest: number;
  readonly collections: readonly Collection[];
  readonly delay: Delay;
}

/** So many collections are kept for the trace. */
const MOST_COLLECTIONS = 10_000;

/** What Node itself takes: garbage collection, and how late it gets to what waits for the event loop. */
export class RuntimeWatch {
  readonly #collections: Collection[] = [];
  #count = 0;
  #milliseconds = 0;
  #longest = 0;
  readonly #observer: PerformanceObserver;
  readonly #delay = new DelayWatch();

  constructor() {
    this.#observer = new PerformanceObserver((list) => this.#note(list.getEntries()));
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** The totals stay. */
  async stop(): Promise<void> {
    // Entries are handed over in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    this.#note(this.#observer.takeRecords());
    this.#observer.disconnect();
    this.#delay.stop();
  }

  totals(): RuntimeTotals {
    return {
      count: this.#count,
      milliseconds: this.#milliseconds,
      longest: this.#longest,
      collections: this.#collections,
      delay: this.#delay.result(),
    };
  }

  #note(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries) {
      this.#count++;
      this.#milliseconds += duration;
      this.#longest = Math.max(this.#longest, duration);
      if (this.#collections.length < MOST_COLLECTIONS)
        this.#collections.push({ start: startTime, end: startTime + duration });
    }
  }
}
