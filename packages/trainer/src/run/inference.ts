import type { TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { ownOutputs } from '../model/own-outputs.js';
import { holdState, type Stateful } from '../resume/held-state.js';
import type { RandomState } from './random.js';

/**
 * The outputs of the model for a hook, which owns them. Everything that a forward pass can change is put back: random
 * state, moving averages and the states of layers.
 */
export function infer(parts: Stateful & { readonly random: RandomState }, xs: TensorTree): TensorTree {
  const { trainable, random } = parts;
  if (tf.engine().state.gradientDepth > 0) {
    throw trainerError(
      'IN_TAPE',
      'ctx.forward() cannot run inside the gradient tape, where it would become a part of the loss. Call it in an event that can wait, such as onTrainBatchEnd.',
    );
  }
  const held = holdState(parts);
  try {
    return random.during(() => tf.tidy(() => ownOutputs(trainable.forward(xs, false), { xs }) as tf.Tensor));
  } finally {
    held.putBack();
    random.load(held.random);
    held.release();
  }
}
