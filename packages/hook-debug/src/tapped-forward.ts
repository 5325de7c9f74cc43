import type { TensorTree, TrainableModule } from '@hookline/hook-api';
import { tap } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';

export type Model = LayersModel | TrainableModule;

/** Is shown each output of each layer as it is computed, inside the pass: it reads, and keeps nothing. */
export type Watch = (path: string, callIndex: number, output: tf.Tensor) => void;

/**
 * Runs forward passes, and nothing backward, as in training: on the gradient tape. Off the tape layers take other
 * kernels, and some of those swallow NaN (the fused relu of wasm makes 0 of it). What is computed is disposed.
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
  if (isModule(model)) {
    const calls = new Map<string, number>();
    return model.forward(xs, {
      training: true,
      tap: (path, output) => {
        const callIndex = calls.get(path) ?? 0;
        calls.set(path, callIndex + 1);
        watch(path, callIndex, output);
        return output;
      },
    });
  }
  const { remove } = tap(model, '**', ({ path, callIndex, outputs }) => {
    for (const output of outputs) watch(path, callIndex, output);
  });
  try {
    return model.apply(inputsOf(model, xs), { training: true }) as tf.Tensor | tf.Tensor[];
  } finally {
    remove();
  }
}

/** By shape, never instanceof: two copies of a package are normal under pnpm. */
export function isModule(model: Model): model is TrainableModule {
  return 'parameters' in model && 'forward' in model;
}

function inputsOf(model: LayersModel, xs: TensorTree): tf.Tensor | tf.Tensor[] {
  if (Array.isArray(xs) || ('dataId' in xs && 'dtype' in xs)) return xs as tf.Tensor | tf.Tensor[];
  // A Sequential keeps its graph, and the names of its inputs, in an inner model.
  const { inputNames } = (model as { model?: LayersModel }).model ?? model;
  return inputNames.map((name) => xs[name]!);
}
