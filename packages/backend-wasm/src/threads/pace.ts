/** Every so often an operation runs on one thread, to measure again how long that takes. */
const REFRESH = 64;

/** How much of a slower time counts; a faster one counts in full. Interruptions add to times, nothing takes away. */
const SLOWER_COUNTS = 0.02;

/** How long one operation takes one thread, in milliseconds, learned while it runs. */
export class Pace {
  #alone = 0;
  #unknown = 2;
  #since = 0;

  get alone(): number {
    return this.#alone;
  }

  /** Counts the operation; true when it should run on one thread this time, to be measured. */
  isDue(): boolean {
    return this.#unknown > 0 || ++this.#since > REFRESH;
  }

  note(milliseconds: number): void {
    const isSlower = this.#alone > 0 && milliseconds > this.#alone;
    this.#alone += (milliseconds - this.#alone) * (isSlower ? SLOWER_COUNTS : 1);
    this.#unknown = Math.max(0, this.#unknown - 1);
    this.#since = 0;
  }
}

/** Operations are distinguished by their estimated time: equal shapes have equal estimates. */
export class Paces {
  readonly #known = new Map<number, Pace>();

  of(estimate: number): Pace {
    const known = this.#known.get(estimate);
    if (known) return known;
    // If every batch has another shape, there is nothing to learn.
    if (this.#known.size === MOST_KNOWN) this.#known.clear();
    const pace = new Pace();
    this.#known.set(estimate, pace);
    return pace;
  }
}

const MOST_KNOWN = 1000;
