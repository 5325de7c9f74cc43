export interface Delay {
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

const INTERVAL_MS = 10;
/** Buckets double eight times from one power of two to the next: a percentile is exact to 9 %. */
const PER_OCTAVE = 8;
/** From a microsecond to more than an hour. */
const BUCKETS = 32 * PER_OCTAVE;

/**
 * How late Node gets to a timer of ten milliseconds: what else waits for the event loop waits as long. Node's own monitor
 * does the same, but making it and asking it for a percentile take longer than all else that a short profile needs.
 */
export class DelayWatch {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #sum = 0;
  #max = 0;
  #due = 0;
  #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = this.#arm();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** In milliseconds; zeros where no timer was due. */
  result(): Delay {
    return {
      mean: this.#count === 0 ? 0 : this.#sum / this.#count,
      p99: this.#percentile(0.99),
      max: this.#max,
    };
  }

  #arm(): NodeJS.Timeout {
    this.#due = performance.now() + INTERVAL_MS;
    const timer = setTimeout(() => {
      this.#note(Math.max(0, performance.now() - this.#due));
      this.#timer = this.#arm();
    }, INTERVAL_MS);
    return timer.unref();
  }

  #note(late: number): void {
    this.#count++;
    this.#sum += late;
    this.#max = Math.max(this.#max, late);
    const bucket = Math.floor(Math.log2(late * 1000 + 1) * PER_OCTAVE);
    this.#counts[Math.min(bucket, BUCKETS - 1)]!++;
  }

  #percentile(share: number): number {
    let left = this.#count * share;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#counts[bucket]!;
      if (left > 0) continue;
      const upper = (2 ** ((bucket + 1) / PER_OCTAVE) - 1) / 1000;
      return Math.min(upper, this.#max);
    }
    return this.#max;
  }
}
