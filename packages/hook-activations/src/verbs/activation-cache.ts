import { didYouMean, type HooklineError } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { bytesOf, formatBytes } from '../bytes.js';
import { activationsError } from '../errors.js';

/**
 * The activations of one run: path to tensors, one for each call of the layer, always a list. They share their data
 * with the run, cost no copy, and live until `dispose`.
 */
export class ActivationCache extends Map<string, readonly tf.Tensor[]> {
  readonly #outputs = new Map<string, (readonly tf.Tensor[])[]>();
  readonly #limit: number;
  #bytes = 0;

  constructor(memoryLimitMb = 1024) {
    super();
    this.#limit = memoryLimitMb * 2 ** 20;
  }

  /** The activation of one call; throws when there is none. */
  tensor(path: string, callIndex = 0): tf.Tensor {
    return this.outputs(path, callIndex)[0]!;
  }

  /** All outputs of one call: several for an RNN cell, whose states come after its output. */
  outputs(path: string, callIndex = 0): readonly tf.Tensor[] {
    const calls = this.#outputs.get(path);
    const found = calls?.[callIndex];
    if (found) return found;
    throw activationsError(
      'NOT_IN_CACHE',
      calls
        ? `The cache has no call ${callIndex} of "${path}". It has ${calls.length}, counted from 0.`
        : `The cache has no "${path}".${didYouMean(path, this.keys())} It has: ${[...this.keys()].join(', ')}.`,
    );
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** For whoever fills the cache: keeps clones. */
  add(path: string, outputs: readonly tf.Tensor[]): void {
    this.#bytes += outputs.reduce((sum, output) => sum + bytesOf(output), 0);
    if (this.#bytes > this.#limit) throw tooLarge(this, path, this.#limit);
    const kept = outputs.map((output) => tf.keep(tf.clone(output)));
    this.#outputs.set(path, [...(this.#outputs.get(path) ?? []), kept]);
    this.set(path, [...(this.get(path) ?? []), kept[0]!]);
  }

  dispose(): void {
    tf.dispose([...this.#outputs.values()].flat(2));
    this.#outputs.clear();
    this.clear();
    this.#bytes = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

function tooLarge({ size, bytes }: ActivationCache, path: string, limit: number): HooklineError {
  return activationsError(
    'CACHE_TOO_LARGE',
    `With "${path}" the activations take ${formatBytes(bytes)}, more than memoryLimitMb allows (${formatBytes(limit)}), ` +
      `after ${size} other paths. Cache fewer layers, run a smaller batch, or raise memoryLimitMb.`,
  );
}
