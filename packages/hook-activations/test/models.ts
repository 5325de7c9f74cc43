import '@tensorflow/tfjs-backend-cpu';
import type { ForwardOptions, TensorTree, TrainableModule } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import {
  initializers,
  input,
  type LayersModel,
  layers,
  model,
  type Sequential,
  sequential,
} from '@tensorflow/tfjs-layers';

await tf.setBackend('cpu');

export const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());

/** 3 inputs, hidden layers of 4 and 3, 1 output; the same weights every time. */
export function mlp(): Sequential {
  const dense = (units: number, seed: number, activation: 'relu' | 'linear' = 'relu') => ({
    units,
    activation,
    kernelInitializer: initializers.glorotNormal({ seed }),
  });
  return sequential({
    layers: [
      layers.dense({ ...dense(4, 1), inputShape: [3], name: 'first' }),
      layers.dense({ ...dense(3, 2), name: 'second' }),
      layers.dense({ ...dense(1, 3, 'linear'), name: 'out' }),
    ],
  });
}

/** A nested encoder, a shared layer and an LSTM. */
export function mixed(): LayersModel {
  const seeded = (seed: number) => initializers.glorotNormal({ seed });
  const x = input({ shape: [4, 3] });
  const encoder = sequential({
    name: 'encoder',
    layers: [layers.dense({ units: 3, inputShape: [3], activation: 'tanh', kernelInitializer: seeded(1) })],
  });
  const td = layers.timeDistributed({ layer: encoder, name: 'td' });
  const lstm = layers.lstm({
    units: 3,
    name: 'lstm',
    kernelInitializer: seeded(2),
    recurrentInitializer: seeded(3),
  });
  const shared = layers.dense({ units: 3, name: 'shared', kernelInitializer: seeded(4) });
  const out = layers.dense({ units: 1, name: 'out', kernelInitializer: seeded(5) });
  let h = td.apply(x);
  for (const layer of [lstm, shared, shared, out]) h = layer.apply(h);
  return model({ inputs: x, outputs: h as never });
}

/** Raw ops: a stream with two blocks, whose heads are [batch, head, feature]. */
export class Blocks implements TrainableModule {
  readonly #weights: Record<string, tf.Variable>;

  constructor() {
    this.#weights = Object.fromEntries(
      ['block_1', 'block_2'].map((name, i) => [
        `${name}/w`,
        tf.variable(tf.mul(tf.randomNormal([4, 4], 0, 1, 'float32', i + 1), 0.5)),
      ]),
    );
  }

  parameters(): Record<string, tf.Variable> {
    return this.#weights;
  }

  forward(xs: TensorTree, { tap }: ForwardOptions): tf.Tensor {
    let stream = tap('embed', xs as tf.Tensor);
    for (const name of ['block_1', 'block_2']) {
      const mixed = tf.tanh(tf.matMul(stream as tf.Tensor2D, this.#weights[`${name}/w`]! as never));
      const heads = tap(`${name}/heads`, tf.reshape(mixed, [-1, 2, 2]));
      stream = tap(`${name}/out`, tf.add(stream, tf.reshape(heads, [-1, 4])));
    }
    return tap('logit', tf.sum(stream, 1, true));
  }
}
