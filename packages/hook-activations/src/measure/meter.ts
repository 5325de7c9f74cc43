import { canReadNow, isHostBackend, samplePositions } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { assertReadsNow } from './assert-reads-now.js';
import { type DeviceStatistics, deviceStatistics } from './device-statistics.js';
import { hostStatistics } from './host-statistics.js';
import type { Statistics, Wanted } from './statistics.js';

interface Pending extends DeviceStatistics {
  done(statistics: Statistics): void;
}

const MOST_PENDING = 1024;

/**
 * Measures tensors, which still belong to the caller. Where tensors are in this process's memory the result is there
 * at once; on a device the numbers of all measurements wait to be read in one transfer.
 */
export class Meter {
  #pending: Pending[] = [];
  /** Reads that nobody has waited for yet. */
  #begun: Promise<void>[] = [];
  /** How many are under way. */
  #reads = 0;
  #generation = 0;
  readonly #positionsOf = samplePositions();

  /** `now`: the result is needed before the pass goes on, whatever that costs. */
  measure(tensor: tf.Tensor, wanted: Wanted, done: Pending['done'], now = false): void {
    if (tensor.dtype === 'string' || tensor.dtype === 'complex64' || tensor.size === 0) return;
    const positions = wanted.sample ? this.#positionsOf(tensor.size) : undefined;
    if (isHostBackend(tf.getBackend())) {
      done(hostStatistics(tensor, wanted, positions));
      return;
    }
    const measured = deviceStatistics(tensor, wanted, positions);
    if (!now) {
      this.#pending.push({ ...measured, done });
      // Nobody has read them: waiting for the device once is better than filling up its memory.
      if (this.#pending.length >= MOST_PENDING) this.#makeRoom();
      return;
    }
    const numbers = measured.numbers.dataSync<'float32'>();
    measured.numbers.dispose();
    done(measured.interpret(numbers));
  }

  /** Reads everything measured since the last time; what is measured meanwhile waits for the next. */
  async read(): Promise<void> {
    const begun = this.#begun;
    this.#begun = [];
    await Promise.all([...begun, this.#readPending()]);
  }

  /** The same, synchronously. `what` asks for it, in the words of an error. */
  readNow(what: string): void {
    if (this.#reads > 0 || this.#pending.length > 0) assertReadsNow(what, 'Call `await settle()` first.');
    const pending = this.#take();
    if (pending.length === 0) return;
    const all = joined(pending);
    const numbers = all.dataSync<'float32'>();
    all.dispose();
    tell(pending, numbers);
  }

  dispose(): void {
    this.#generation++;
    tf.dispose(this.#take().map(({ numbers }) => numbers));
  }

  #makeRoom(): void {
    if (canReadNow()) {
      this.readNow('A measurement');
      return;
    }
    const reading = this.#readPending();
    reading.catch(() => {}); // the next `read` tells it
    this.#begun.push(reading);
  }

  async #readPending(): Promise<void> {
    const pending = this.#take();
    if (pending.length === 0) return;
    const generation = this.#generation;
    const all = joined(pending);
    this.#reads++;
    try {
      const numbers = await all.data<'float32'>();
      // What was forgotten meanwhile stays forgotten.
      if (generation === this.#generation) tell(pending, numbers);
    } finally {
      this.#reads--;
      all.dispose();
    }
  }

  #take(): Pending[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }
}

/** One tensor of all numbers, in place of the many. */
function joined(pending: readonly Pending[]): tf.Tensor1D {
  const parts = pending.map(({ numbers }) => numbers);
  const all = tf.keep(tf.concat(parts));
  tf.dispose(parts);
  return all;
}

function tell(pending: readonly Pending[], numbers: Float32Array): void {
  let offset = 0;
  for (const { numbers: tensor, interpret, done } of pending) {
    done(interpret(numbers.subarray(offset, offset + tensor.size)));
    offset += tensor.size;
  }
}
