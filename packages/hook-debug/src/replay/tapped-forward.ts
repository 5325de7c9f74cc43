import type { TensorTree, TrainableModule } from '@hookline/hook-api';
import { forward, tap } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

export type Model = LayersModel | TrainableModule;

/** Called with each output of each layer as it is computed, inside the pass: it may read, and keeps nothing. */
export type Watch = (path: string, callIndex: number, output: tf.Tensor) => void;

/**
 * Runs forward passes, without a backward pass, on the gradient tape as in training. Off the tape, layers use other
 * kernels, and some of those swallow NaN (the fused relu of wasm turns it into 0). What is computed is disposed.
 */
export function onTape(passes: () => void): void {
  let failure: { error: unknown } | undefined;
  tf.tidy(() => {
    const record = () => {
      try {
        passes();
      } catch (error) {
        // tfjs would leave the tensors of the tape behind.
        failure = { error };
      }
      return tf.scalar(0);
    };
    tf.engine().gradients(record, [tf.scalar(0)], undefined, true);
  });
  if (failure) throw failure.error;
}

/** A forward pass as in training, in the caller's tidy or tape. */
export function tappedForward(model: Model, xs: TensorTree, watch: Watch): TensorTree {
  const { remove } = tap(
    model,
    '**',
    ({ path, callIndex, outputs }) => {
      for (const output of outputs) watch(path, callIndex, output);
    },
    // A module may tap no points at all.
    { optional: true },
  );
  try {
    return forward(model, xs, { training: true });
  } finally {
    remove();
  }
}

/** By shape, never instanceof: two copies of a package are normal under pnpm. */
export function isModule(model: Model): model is TrainableModule {
  return 'forward' in model && typeof model.forward === 'function';
}
