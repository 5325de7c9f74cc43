import type { PathFilter, TappableModel, TapSpec, Tensors } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';
import { activationsError } from '../errors.js';
import { type RunOptions, run } from './run.js';

export interface StopOptions extends RunOptions {
  /** At which call of the layer, from 0: shared layers, steps of an RNN. Default 0. */
  callIndex?: number;
}

/**
 * Runs a model up to a layer and returns the layer's output, which is yours to dispose. What comes after it is not
 * computed.
 *
 * @example const features = stopAt(model, x, 'encoder');
 */
export function stopAt(
  model: TappableModel,
  x: Tensors,
  layer: PathFilter,
  { taps = [], training = false, callIndex: wanted = 0 }: StopOptions = {},
): tf.Tensor {
  const stop = new Stop();
  const stopping: TapSpec = [
    layer,
    ({ output, callIndex }) => {
      if (callIndex !== wanted) return;
      stop.output = tf.keep(tf.clone(output));
      throw stop;
    },
  ];
  try {
    tf.dispose(run<Tensors>(model, x, { taps: [...taps, stopping], training }));
  } catch (error) {
    if (error === stop && stop.output) return stop.output;
    throw error;
  }
  throw activationsError(
    'NEVER_CALLED',
    `The pass ended without call ${wanted} of ${String(layer)}. Calls count from 0; see callIndex.`,
  );
}

/** Ends a pass on purpose; an error, because nothing else does. */
class Stop extends Error {
  output: tf.Tensor | undefined;
}
