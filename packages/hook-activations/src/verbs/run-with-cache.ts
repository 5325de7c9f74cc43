import type { PathFilter, TappableModel, TapSpec, Tensors } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import { ActivationCache } from './activation-cache.js';
import { type RunOptions, run } from './run.js';

export interface CacheOptions extends RunOptions {
  /** The most that the cache may hold; beyond it the run fails and says so. Default 1024. */
  memoryLimitMb?: number;
}

export interface CachedRun<Output extends Tensors = tf.Tensor> {
  readonly output: Output;
  readonly cache: ActivationCache;
  /** Disposes outputs and cache. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/**
 * Runs a model once and keeps the activations that the filter means; all by default. With `taps`, they are the
 * activations as the taps left them.
 *
 * @example const { output, cache } = runWithCache(model, x, 'encoder/**');
 */
export function runWithCache<Output extends Tensors = tf.Tensor>(
  model: TappableModel,
  x: Tensors,
  filter: PathFilter = '**',
  { taps = [], training = false, memoryLimitMb }: CacheOptions = {},
): CachedRun<Output> {
  const cache = new ActivationCache(memoryLimitMb);
  const keep: TapSpec = [filter, ({ path, outputs }) => cache.add(path, outputs)];
  try {
    const output = run<Output>(model, x, { taps: [...taps, keep], training });
    const dispose = (): void => {
      tf.dispose(output);
      cache.dispose();
    };
    return { output, cache, dispose, [Symbol.dispose]: dispose };
  } catch (error) {
    cache.dispose();
    throw error;
  }
}
