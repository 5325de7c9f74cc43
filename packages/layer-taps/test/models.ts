import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import {
  input,
  type LayersModel,
  type LayerVariable,
  layers,
  model,
  type Sequential,
  sequential,
} from '@tensorflow/tfjs-layers';
import type { Layer } from '../src/index.js';

// The default orthogonal initializer needs chained ops, which exist only in the union package.
const recurrentInitializer = 'glorotNormal';

export function mlp(): Sequential {
  return sequential({
    layers: [
      layers.dense({ units: 4, inputShape: [3], activation: 'tanh' }),
      layers.dense({ units: 3, activation: 'tanh' }),
      layers.dense({ units: 1 }),
    ],
  });
}

/** Every kind of layer that holds other layers, a shared layer, and a batch normalization. */
export function zoo(): LayersModel {
  const x = input({ shape: [5, 6] });
  const timeDistributed = layers.timeDistributed({ layer: layers.dense({ units: 6 }), name: 'td' });
  const bidirectional = layers.bidirectional({
    layer: layers.lstm({ units: 3, returnSequences: true, recurrentInitializer }) as layers.RNN,
    mergeMode: 'concat',
    name: 'bidi',
  });
  const stack = layers.rnn({
    cell: [
      layers.gruCell({ units: 4, recurrentInitializer }),
      layers.lstmCell({ units: 4, recurrentInitializer }),
    ],
    returnSequences: true,
  });
  const lstm = layers.lstm({ units: 4, recurrentInitializer });
  const encoder = sequential({
    name: 'encoder',
    layers: [layers.dense({ units: 4, inputShape: [4] }), layers.dense({ units: 4 })],
  });
  const shared = layers.dense({ units: 4 });
  const normalization = layers.batchNormalization();
  let h = timeDistributed.apply(x);
  for (const layer of [bidirectional, stack, lstm, encoder, shared, shared, normalization])
    h = layer.apply(h);
  return model({ inputs: x, outputs: layers.dense({ units: 1, name: 'out' }).apply(h) as never });
}

export const ZOO_PATHS: readonly string[] = [
  'td',
  'td/layer',
  'bidi',
  'bidi/forward',
  'bidi/forward/cell',
  'bidi/backward',
  'bidi/backward/cell',
  'rnn_1',
  'rnn_1/cell',
  'rnn_1/cell/cell_1',
  'rnn_1/cell/cell_2',
  'lstm_1',
  'lstm_1/cell',
  'encoder',
  'encoder/dense_1',
  'encoder/dense_2',
  'dense_1',
  'batch_normalization_1',
  'out',
];

export function buildOtherModels(): void {
  for (let i = 0; i < 5; i++) {
    mlp();
    zoo();
  }
}

/** A custom layer made of two layers, which it holds in properties. */
export class Attention extends layers.Layer {
  static readonly className: string = 'Attention';
  readonly query: Layer = layers.dense({ units: 2 });
  readonly key: Layer = layers.dense({ units: 2 });

  protected parts(): Layer[] {
    return [this.query, this.key];
  }

  override build(shape: number[]): void {
    for (const part of this.parts()) part.build(shape);
    this.built = true;
  }

  override computeOutputShape(shape: number[]): number[] {
    return [shape[0]!, 2];
  }

  override call(inputs: tf.Tensor | tf.Tensor[]): tf.Tensor {
    const [q, k] = this.parts().map((part) => part.apply(inputs) as tf.Tensor);
    return tf.mul(q!, k!);
  }

  override get trainableWeights(): LayerVariable[] {
    return this.trainable ? this.parts().flatMap((part) => part.trainableWeights) : [];
  }
  override set trainableWeights(_: LayerVariable[]) {}

  override get nonTrainableWeights(): LayerVariable[] {
    return this.parts().flatMap((part) => (this.trainable ? part.nonTrainableWeights : part.weights));
  }
  override set nonTrainableWeights(_: LayerVariable[]) {}
}

/** The same, with its parts where a walk over its properties cannot find them. */
export class ClosedAttention extends Attention {
  static override readonly className: string = 'ClosedAttention';
  readonly #parts = [layers.dense({ units: 2 }), layers.dense({ units: 2 })];

  get hidden(): Layer[] {
    return this.#parts;
  }

  protected override parts(): Layer[] {
    return this.#parts;
  }
}
