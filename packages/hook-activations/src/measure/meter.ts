import { isHostBackend, samplePositions } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
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
      if (this.#pending.length >= MOST_PENDING) this.readNow();
      return;
    }
    const numbers = measured.numbers.dataSync<'float32'>();
    measured.numbers.dispose();
    done(measured.interpret(numbers));
  }

  /** Reads everything measured since the last time; what is measured meanwhile waits for the next. */
  async read(): Promise<void> {
    const pending = this.#take();
    if (pending.length === 0) return;
    const all = joined(pending);
    tell(pending, await all.data<'float32'>().finally(() => all.dispose()));
  }

  /** The same, synchronously. */
  readNow(): void {
    const pending = this.#take();
    if (pending.length === 0) return;
    const all = joined(pending);
    const numbers = all.dataSync<'float32'>();
    all.dispose();
    tell(pending, numbers);
  }

  dispose(): void {
    tf.dispose(this.#take().map(({ numbers }) => numbers));
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
