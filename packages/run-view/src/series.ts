import type { Points } from './points.js';
import { thinned } from './thin.js';

/** More points than this are thinned while they are read, so that no log is too long for the memory. */
const MOST_POINTS = 2 ** 20;

/** One metric over the run. A second value for the same step replaces the first. */
export class Series {
  #steps = new Float64Array(64);
  #epochs = new Float64Array(64);
  #values = new Float64Array(64);
  #length = 0;

  constructor(readonly name: string) {}

  get length(): number {
    return this.#length;
  }

  /** The value of the last step; undefined where there is none. */
  get latest(): number | undefined {
    return this.#length > 0 ? this.#values[this.#length - 1] : undefined;
  }

  add(step: number, epoch: number, value: number): void {
    const isSame = this.#length > 0 && this.#steps[this.#length - 1] === step;
    if (!isSame) this.#makeRoom();
    const at = isSame ? this.#length - 1 : this.#length++;
    this.#steps[at] = step;
    this.#epochs[at] = epoch;
    this.#values[at] = value;
  }

  /** Views of the columns: they are valid until the next `add`. */
  points(): Points {
    return {
      steps: this.#steps.subarray(0, this.#length),
      epochs: this.#epochs.subarray(0, this.#length),
      values: this.#values.subarray(0, this.#length),
    };
  }

  /** Forgets what comes after a step: a run that was resumed there does it again. */
  cutAfter(step: number): void {
    while (this.#length > 0 && this.#steps[this.#length - 1]! > step) this.#length--;
  }

  #makeRoom(): void {
    if (this.#length < this.#steps.length) return;
    if (this.#length >= MOST_POINTS) {
      const { steps, epochs, values } = thinned(this.points(), MOST_POINTS / 2);
      this.#steps.set(steps);
      this.#epochs.set(epochs);
      this.#values.set(values);
      this.#length = steps.length;
      return;
    }
    this.#steps = grown(this.#steps);
    this.#epochs = grown(this.#epochs);
    this.#values = grown(this.#values);
  }
}

function grown(column: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(column.length * 2);
  larger.set(column);
  return larger;
}
