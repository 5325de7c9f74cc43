import { filledTensor, hostValues } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import type { World } from '../strategies/world.js';

/**
 * Floats in a bucket, 1 MB: packing one takes about as long as adding up the one before it, and what a sum costs by
 * itself, some hundredths of a millisecond, does not count.
 */
export const BUCKET: number = 2 ** 18;

type Gradients = Record<string, tf.Tensor>;

/**
 * The weighted mean of gradients over all ranks, which takes them over; and with it, of what the forward pass changes
 * beside them, such as the moving averages of a batch normalisation.
 */
export async function joinGradients(
  world: World,
  gradients: Gradients,
  buffers: readonly tf.Variable[],
  weight: number,
): Promise<Gradients> {
  const paths = Object.keys(gradients);
  const tensors: tf.Tensor[] = [...paths.map((path) => gradients[path]!), ...buffers];
  const shapes = tensors.map(({ shape }) => shape);
  const sums = new BucketSums(
    world,
    tensors.reduce((length, { size }) => length + size, 0),
  );
  try {
    for (const tensor of tensors) {
      // On wasm a view of the heap: nothing is copied twice.
      sums.add(hostValues(tensor) ?? (await tensor.data()), tensor.size, weight);
    }
  } finally {
    tf.dispose(gradients);
  }
  const joined: tf.Tensor[] = [];
  try {
    for (const shape of shapes) {
      const values = await sums.take(tf.util.sizeFromShape(shape));
      joined.push(filledTensor(shape, 'float32', (into) => into.set(values)));
    }
  } catch (error) {
    tf.dispose(joined);
    throw error;
  }
  const means = joined.splice(paths.length);
  for (const [index, buffer] of buffers.entries()) buffer.assign(means[index]!);
  tf.dispose(means);
  return Object.fromEntries(paths.map((path, index) => [path, joined[index]!]));
}

/**
 * Values in a row that are cut into buckets. A bucket is added up as soon as it is full, by those who move it, while the
 * next one is filled here; and what is taken out waits for its own buckets only.
 */
class BucketSums {
  readonly #values: Float32Array;
  readonly #sums: Promise<void>[] = [];
  #filled = 0;
  #taken = 0;

  constructor(
    private readonly world: World,
    length: number,
  ) {
    this.#values = world.room(length);
  }

  add(from: ArrayLike<number>, size: number, weight: number): void {
    for (let start = 0; start < size; ) {
      const end = Math.min(size, start + this.#roomInBucket());
      const into = this.#values.subarray(this.#filled, this.#filled + end - start);
      // Not times 0: what a share without samples gives may not be a number.
      if (weight === 0) into.fill(0);
      else for (let index = 0; index < into.length; index++) into[index] = from[start + index]! * weight;
      this.#filled += end - start;
      start = end;
      if (this.#roomInBucket() === BUCKET || this.#filled === this.#values.length) this.#sumLast();
    }
  }

  /** The sums of the values that were added first and not taken yet; until the next call for room. */
  async take(size: number): Promise<Float32Array> {
    const start = this.#taken;
    this.#taken += size;
    for (let bucket = Math.floor(start / BUCKET); bucket * BUCKET < this.#taken; bucket++) {
      await this.#sums[bucket];
    }
    return this.#values.subarray(start, this.#taken);
  }

  #roomInBucket(): number {
    return BUCKET - (this.#filled % BUCKET);
  }

  #sumLast(): void {
    const sum = this.world.sum(this.#values.subarray(this.#sums.length * BUCKET, this.#filled));
    // Whoever takes its values learns of a failure; nobody may be waiting for this one when an earlier one has failed.
    sum.catch(() => {});
    this.#sums.push(sum);
  }
}
