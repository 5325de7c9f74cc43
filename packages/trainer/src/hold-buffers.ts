import * as tf from '@tensorflow/tfjs-core';
import type { Run } from './run.js';

/** Values that a forward pass changes although nothing trains them, such as moving averages. */
export interface HeldBuffers {
  /** Undoes what the forward pass did to them. */
  putBack(): void;
  release(): void;
}

/** Remembers the buffers as they are. Costs no copy: a clone shares its data until the variable gets new data. */
export function holdBuffers({ parts, trained }: Run): HeldBuffers {
  const learning = new Set(trained.map(({ path }) => path));
  const held = parts.trainable.parameters
    .filter(({ path }) => !learning.has(path))
    .map(({ variable }) => ({ variable, value: tf.clone<tf.Tensor>(variable) }));
  return {
    putBack: () => {
      for (const { variable, value } of held) variable.assign(value);
    },
    release: () => tf.dispose(held.map(({ value }) => value)),
  };
}
