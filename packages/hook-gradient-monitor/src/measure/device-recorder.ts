import { type Moments, NO_MOMENTS } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { Distributions } from './distributions.js';
import type { GradientView, Measurement, Movement, Readings, Recorder, Wanted } from './recorder.js';

/** What the numbers of one tensor mean, once they are read. */
interface Part<Result> {
  readonly numbers: tf.Tensor1D;
  interpret(numbers: Float32Array): Result;
}

/** Measures on the device, and fetches all numbers of the step in one transfer. */
export class DeviceRecorder implements Recorder {
  readonly #gradients: Part<Measurement>[] = [];
  readonly #movements: Part<Movement>[] = [];
  readonly #weights = new Map<string, tf.Tensor>();

  constructor(private readonly distributions: Distributions) {}

  gradient(view: GradientView, path: string, gradient: tf.Tensor, wanted: Wanted): void {
    const { size } = gradient;
    const numbers = tf.tidy(() => {
      const values = tf.reshape(gradient, [-1]) as tf.Tensor1D;
      const mask = tf.isFinite(values);
      // Counts the bad values: a few are counted exactly, while millions are rounded in single precision.
      const nonFinite = tf.cast(tf.sum(tf.logicalNot(mask)), 'float32');
      return joined([
        tf.sum(tf.square(values)),
        nonFinite,
        ...(wanted.zeros ? [tf.cast(tf.sum(tf.equal(values, 0)), 'float32')] : []),
        ...(wanted.moments ? momentsOf(values, mask, tf.sub(size, nonFinite)) : []),
        ...(wanted.distribution ? [pick(values, this.distributions.positions(size))] : []),
      ]);
    });
    const interpret = (read: Float32Array): Measurement => {
      let at = 0;
      const next = () => read[at++]!;
      const [sumSquares, finite] = [next(), size - next()];
      const zeros = wanted.zeros ? next() : Number.NaN;
      const moments = wanted.moments ? interpretMoments(next, finite) : NO_MOMENTS;
      const distribution = wanted.distribution
        ? this.distributions.of(read.subarray(at), finite === size)
        : undefined;
      return { view, path, size, statistics: { sumSquares, finite, zeros, ...moments }, distribution };
    };
    this.#gradients.push({ numbers, interpret });
  }

  weightBefore(path: string, weight: tf.Tensor): void {
    // Not a copy: the clone shares the data, so the update gives the variable new data instead of overwriting it.
    this.#weights.set(path, tf.clone(weight));
  }

  weightAfter(path: string, weight: tf.Tensor): void {
    const old = this.#weights.get(path);
    if (!old) return;
    this.#weights.delete(path);
    const numbers = tf.tidy(() => joined([tf.sum(tf.square(old)), tf.sum(tf.square(tf.sub(weight, old)))]));
    old.dispose();
    this.#movements.push({
      numbers,
      interpret: (read) => ({ path, before: read[0]!, change: read[1]! }),
    });
  }

  async read(): Promise<Readings> {
    const parts = [...this.#gradients, ...this.#movements];
    if (parts.length === 0) return { gradients: [], movements: [] };
    const all = tf.concat(parts.map(({ numbers }) => numbers));
    const values = await all.data<'float32'>().finally(() => all.dispose());
    let offset = 0;
    const take = <Result>({ numbers: { size }, interpret }: Part<Result>): Result => {
      offset += size;
      return interpret(values.subarray(offset - size, offset));
    };
    return { gradients: this.#gradients.map(take), movements: this.#movements.map(take) };
  }

  dispose(): void {
    tf.dispose([...this.#gradients, ...this.#movements].map(({ numbers }) => numbers));
    tf.dispose([...this.#weights.values()]);
    this.#weights.clear();
  }
}

/** Minimum, maximum, mean and squared deviations of the finite values. */
function momentsOf(values: tf.Tensor1D, mask: tf.Tensor, finite: tf.Tensor): tf.Tensor[] {
  const finiteOr = (replacement: number, of: tf.Tensor = values) =>
    tf.where(mask, of, tf.fill(values.shape, replacement));
  const mean = tf.div(tf.sum(finiteOr(0)), finite);
  return [
    tf.min(finiteOr(Infinity)),
    tf.max(finiteOr(-Infinity)),
    mean,
    tf.sum(tf.square(finiteOr(0, tf.sub(values, mean)))),
  ];
}

function interpretMoments(next: () => number, finite: number): Moments {
  const [min, max, mean, squares] = [next(), next(), next(), next()];
  if (finite === 0) return NO_MOMENTS;
  return { min, max, mean, std: Math.sqrt(squares / finite) };
}

function pick(values: tf.Tensor1D, positions: Int32Array | undefined): tf.Tensor1D {
  return positions ? tf.gather(values, tf.tensor1d(positions, 'int32')) : values;
}

function joined(tensors: tf.Tensor[]): tf.Tensor1D {
  return tf.concat(tensors.map((tensor) => tf.reshape(tensor, [-1]) as tf.Tensor1D));
}
