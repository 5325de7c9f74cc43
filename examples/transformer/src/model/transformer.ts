import type { LossContext, TrainableModule } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { shuffled } from '../random.js';
import { type BlockOptions, block } from './block.js';
import { layerNorm } from './layer-norm.js';
import { Parameters } from './parameters.js';
import { project } from './part.js';

export interface TransformerOptions extends BlockOptions {
  /** How many letters there are. */
  letters: number;
  blocks: number;
}

/** A transformer, as its verbs and tests use it: numbers of letters in, [sequences, positions]; logits out. */
export interface Transformer extends TrainableModule<Sequences, tf.Tensor3D> {
  parameters(): Record<string, tf.Variable>;
  loss(outputs: tf.Tensor, batch: Sequences, context?: LossContext): tf.Scalar;
}

/** Numbers of letters; in `ys`, of those that come next. */
interface Sequences {
  xs: tf.Tensor2D;
  ys: tf.Tensor2D;
}

/** Says at each position which letter it thinks comes next. Tap points: `embed`, and those of the blocks. */
export function transformer(options: TransformerOptions): Transformer {
  const { letters, width, blocks, slopes } = options;
  const parameters = new Parameters();
  const embedding = parameters.normal('embed/letters', [letters, width], 0.5);
  const parts = Array.from({ length: blocks }, (_, index) =>
    // Which head gets which slope is drawn, so that the number of a head says nothing about it.
    block(parameters, `blocks/${index}`, { ...options, slopes: shuffled(slopes, Math.random) }),
  );
  const norm = layerNorm(parameters, 'unembed/norm', width);
  const unembedding = parameters.normal('unembed/letters', [width, letters], width ** -0.5);

  return {
    parameters: () => parameters.byPath,
    forward: (xs, forward) => {
      const embedded = forward.tap('embed', project(oneHot(xs, letters), embedding));
      const stream = parts.reduce((x, part) => part(x, forward), embedded);
      return project(norm(stream), unembedding);
    },
    loss: (outputs, { ys }) => {
      // A target of -1 makes a row of zeros, which costs nothing.
      const targets = oneHot(ys, letters);
      const cost = tf.neg(tf.sum(tf.mul(targets, tf.logSoftmax(outputs))));
      return tf.div(cost, tf.sum(targets));
    },
  };
}

/** Cast afterwards: on wasm, `oneHot` writes whole numbers whatever dtype it is asked for. */
function oneHot(numbers: tf.Tensor2D, count: number): tf.Tensor3D {
  return tf.cast(tf.oneHot(tf.cast(numbers, 'int32'), count), 'float32') as tf.Tensor3D;
}
