import {
  type IntervalHistogram,
  monitorEventLoopDelay,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks';

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
  /** How late timers were, in milliseconds. */
  readonly delay: { readonly mean: number; readonly p99: number; readonly max: number };
}

/** So many collections are kept for the trace. */
const MOST_COLLECTIONS = 10_000;
/** Of the timer whose lateness is the delay. */
const RESOLUTION_MS = 10;

/** What Node itself takes: garbage collection, and how late it gets to what waits for the event loop. */
export class RuntimeWatch {
  readonly #collections: Collection[] = [];
  #count = 0;
  #milliseconds = 0;
  #longest = 0;
  readonly #observer: PerformanceObserver;
  readonly #delay: IntervalHistogram;

  constructor() {
    this.#observer = new PerformanceObserver((list) => this.#note(list.getEntries()));
    this.#observer.observe({ entryTypes: ['gc'] });
    this.#delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.#delay.enable();
  }

  async stop(): Promise<RuntimeTotals> {
    // Entries are handed over in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    this.#note(this.#observer.takeRecords());
    this.#observer.disconnect();
    this.#delay.disable();
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS) || 0;
    return {
      count: this.#count,
      milliseconds: this.#milliseconds,
      longest: this.#longest,
      collections: this.#collections,
      delay: {
        mean: late(this.#delay.mean),
        p99: late(this.#delay.percentile(99)),
        max: this.#delay.count > 0 ? late(this.#delay.max) : 0,
      },
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
