/** Measures how long training waits for checkpoints. */
export class StallMeter {
  #last = performance.now();
  #stalled = 0;
  readonly #start = this.#last;

  /** Training has waited this long for a save; returned with its share of the time since the last save. */
  add(milliseconds: number): { ms: number; percent: number } {
    const now = performance.now();
    const share = (100 * milliseconds) / Math.max(now - this.#last, milliseconds);
    this.#last = now;
    this.#stalled += milliseconds;
    return { ms: milliseconds, percent: share };
  }

  get totalMs(): number {
    return this.#stalled;
  }

  /** Of the time since the run began. */
  get totalPercent(): number {
    return (100 * this.#stalled) / Math.max(1, performance.now() - this.#start);
  }
}
