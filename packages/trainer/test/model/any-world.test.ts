import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { isSameInAnyWorld } from '../../src/model/any-world.js';

// Layers make their weights where they are named.
await useBackend();

const { dense, dropout, batchNormalization, gaussianNoise, lstm, layerNormalization } = tfl.layers;
/** Without the initializer that needs operations which tfjs-core does not load by itself. */
const RECURRENT = { units: 2, recurrentInitializer: 'glorotNormal' } as const;
const withLayer = (...layers: tfl.layers.Layer[]) => ({
  source: tfl.sequential({ layers: [dense({ units: 3, inputShape: [3] }), ...layers] }),
});
const recurrent = (rates: { dropout?: number; recurrentDropout?: number }) => ({
  source: tfl.sequential({ layers: [lstm({ ...RECURRENT, inputShape: [5, 3], ...rates })] }),
});

/** Says nothing about itself: it has the name of the class that it inherits from, or one of its own. */
const jitter = (className?: string) => {
  const Dense = dense({ units: 3 }).constructor as new (config: object) => tfl.layers.Layer;
  class Jitter extends Dense {
    override call(...given: Parameters<tfl.layers.Layer['call']>) {
      return tf.add(super.call(...given) as tf.Tensor, tf.randomNormal([3]));
    }
  }
  if (className !== undefined) {
    Object.defineProperty(Jitter, 'className', { value: className });
    tf.serialization.registerClass(Jitter as never);
  }
  return new Jitter({ units: 3 });
};

type OwnCell = ReturnType<typeof tfl.layers.lstmCell>;

function ownCell() {
  const Cell = tfl.layers.lstmCell({ units: 2 }).constructor as new (config: object) => OwnCell;
  class NoisyCell extends Cell {}
  const layer = tfl.layers.rnn({ cell: new NoisyCell(RECURRENT), inputShape: [5, 3] });
  return { source: tfl.sequential({ layers: [layer as tfl.layers.Layer] }) };
}

test.each([
  ['dense layers', withLayer(dense({ units: 1 }))],
  ['a normalisation of each sample', withLayer(layerNormalization())],
  ['an LSTM', recurrent({})],
  [
    'convolutions, pooling and a GRU',
    {
      source: tfl.sequential({
        layers: [
          tfl.layers.conv1d({ filters: 2, kernelSize: 2, inputShape: [8, 3] }),
          tfl.layers.maxPooling1d({ poolSize: 2 }),
          tfl.layers.gru(RECURRENT),
          tfl.layers.leakyReLU(),
        ],
      }),
    },
  ],
])('%s: the same in any number of processes', (_name, model) => {
  expect(isSameInAnyWorld(model)).toBe(true);
});

test.each([
  ['dropout', withLayer(dropout({ rate: 0.5 }))],
  ['noise', withLayer(gaussianNoise({ stddev: 1 }))],
  ['a batch normalisation', withLayer(batchNormalization())],
  ['dropout in a model within the model', withLayer(withLayer(dropout({ rate: 0.1 })).source)],
  ['a layer of your own that inherits the name of a dense one', withLayer(jitter())],
  ['a layer of your own with a name of its own', withLayer(jitter('Jitter'))],
  ['a cell of your own in a recurrent layer', ownCell()],
  ['an LSTM with dropout', recurrent({ dropout: 0.2 })],
  ['an LSTM with recurrent dropout', recurrent({ recurrentDropout: 0.2 })],
  ['a module, which is code', { source: { forward: () => [] } as never }],
])('%s: not the same in another number of processes', (_name, model) => {
  expect(isSameInAnyWorld(model)).toBe(false);
});
