import { processorTime } from './processor-time.js';

/**
 * An array of which a loop gets several laps in one go, each of them timed, and a rest after each in which somebody
 * else may run. It times the steps of a loop that belongs to others, without what that does before and after.
 */
// A class, because an iterator put on an array itself makes V8 walk all arrays of the process the slow way.
export class Laps<Item> extends Array<Item> {
  laps = 1;
  rest: () => void = () => {};
  /** The milliseconds of every lap so far. */
  times: number[] = [];

  override *[Symbol.iterator](): ArrayIterator<Item> {
    for (let lap = 0; lap < this.laps; lap++) {
      const start = processorTime();
      for (let index = 0; index < this.length; index++) yield this[index]!;
      this.times.push(processorTime() - start);
      this.rest();
    }
  }
}
