import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { isSameInAnyWorld } from '../../src/model/any-world.js';

const { dense, dropout, batchNormalization, gaussianNoise, lstm, layerNormalization } = tfl.layers;
const withLayer = (...layers: tfl.layers.Layer[]) => ({
  source: tfl.sequential({ layers: [dense({ units: 3, inputShape: [3] }), ...layers] }),
});
const recurrent = (rates: { dropout?: number; recurrentDropout?: number }) => ({
  source: tfl.sequential({ layers: [lstm({ units: 2, inputShape: [5, 3], ...rates })] }),
});

test.each([
  ['dense layers', withLayer(dense({ units: 1 }))],
  ['a normalisation of each sample', withLayer(layerNormalization())],
  ['an LSTM', recurrent({})],
])('%s: the same in any number of processes', (_name, model) => {
  expect(isSameInAnyWorld(model)).toBe(true);
});

test.each([
  ['dropout', withLayer(dropout({ rate: 0.5 }))],
  ['noise', withLayer(gaussianNoise({ stddev: 1 }))],
  ['a batch normalisation', withLayer(batchNormalization())],
  ['dropout in a model within the model', withLayer(withLayer(dropout({ rate: 0.1 })).source)],
  ['an LSTM with dropout', recurrent({ dropout: 0.2 })],
  ['an LSTM with recurrent dropout', recurrent({ recurrentDropout: 0.2 })],
  ['a module, which is code', { source: { forward: () => [] } as never }],
])('%s: not the same in another number of processes', (_name, model) => {
  expect(isSameInAnyWorld(model)).toBe(false);
});
