/** How much a new measurement counts; the rest is the past. */
const WEIGHT = 0.3;

/** Batches per second, smoothed. */
export class RateMeter {
  #perSecond: number | undefined;
  #mark: { count: number; time: number } | undefined;

  get perSecond(): number | undefined {
    return this.#perSecond;
  }

  /** Counts from here, leaving out what took time in between; the rate so far stays. */
  restart(count: number, milliseconds: number): void {
    this.#mark = { count, time: milliseconds };
  }

  /** Counts from the next update on. */
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
