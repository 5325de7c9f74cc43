/** The weight of a new measurement; earlier ones have the rest. */
const WEIGHT = 0.3;

/** Batches per second, smoothed. */
export class RateMeter {
  #perSecond: number | undefined;
  #mark: { count: number; time: number } | undefined;

  get perSecond(): number | undefined {
    return this.#perSecond;
  }

  /** Measures from here, without the time since the last update; the rate so far stays. */
  restart(count: number, milliseconds: number): void {
    this.#mark = { count, time: milliseconds };
  }

  /** Measures from the next update on. */
  pause(): void {
    this.#mark = undefined;
  }

  update(count: number, milliseconds: number): void {
    const mark = this.#mark;
    this.#mark = { count, time: milliseconds };
    if (!mark || count <= mark.count || milliseconds <= mark.time) return;
    const measured = ((count - mark.count) * 1000) / (milliseconds - mark.time);
    this.#perSecond =
      this.#perSecond === undefined ? measured : WEIGHT * measured + (1 - WEIGHT) * this.#perSecond;
  }
}
