import { fixWeights, rows, someOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { dataLoss, expectTrueGradients, stockLoss } from './training-step.js';

const { layers, regularizers } = tfl;
const l2 = () => regularizers.l2({ l2: 0.5 });
const regularized = { kernelRegularizer: l2(), recurrentRegularizer: l2(), biasRegularizer: l2() };

const batch = {
  xs: tf.tensor3d(rows(2, 6).flat(), [2, 3, 2]),
  ys: tf.tensor2d(rows(2, 1, 5)),
};

function ending(...middle: tfl.layers.Layer[]): tfl.Sequential {
  const model = tfl.sequential({ layers: [layers.inputLayer({ inputShape: [3, 2] }), ...middle] });
  model.add(layers.dense({ name: 'head', units: 1 }));
  return fixWeights(model);
}

function nested(): tfl.Sequential {
  const inner = tfl.sequential({ layers: [layers.lstm({ units: 2, inputShape: [3, 2], ...regularized })] });
  return ending(layers.activation({ activation: 'linear' }), inner);
}

const models: [string, () => tfl.Sequential][] = [
  ['SimpleRNN', () => ending(layers.simpleRNN({ units: 2, ...regularized }))],
  ['LSTM', () => ending(layers.lstm({ units: 2, ...regularized }))],
  ['GRU', () => ending(layers.gru({ units: 2, ...regularized }))],
  [
    'Bidirectional',
    () => ending(layers.bidirectional({ layer: layers.lstm({ units: 2, ...regularized }) as tfl.RNN })),
  ],
  [
    'stacked cells',
    () =>
      ending(
        layers.rnn({
          cell: [layers.lstmCell({ units: 2, ...regularized }), layers.gruCell({ units: 2, ...regularized })],
        }),
      ),
  ],
  [
    'TimeDistributed around an RNN',
    () =>
      ending(
        layers.reshape({ targetShape: [3, 2, 1] }),
        layers.timeDistributed({ layer: layers.simpleRNN({ units: 2, ...regularized }) }),
        layers.flatten(),
      ),
  ],
  ['a model inside the model', nested],
];

/** The sum of half the squares of all weights but the head's, as plain numbers. */
function penaltyOf(model: tfl.LayersModel): number {
  return model.weights
    .filter(({ name }) => !name.startsWith('head'))
    .flatMap((weight) => [...weight.read().dataSync()])
    .reduce((sum, value) => sum + 0.5 * value * value, 0);
}

test.each(someOf(models, 2))('stock tfjs ignores the regularisers of an RNN: %s', async (_name, make) => {
  const model = make();
  expect(penaltyOf(model)).toBeGreaterThan(0.5);
  expect(await stockLoss(model, batch)).toBeCloseTo(dataLoss(model, batch), 5);
});

test.each(someOf(models, 3))('the regularisers of an RNN count, once: %s', async (_name, make) => {
  const model = make();
  const { loss } = await expectTrueGradients(model, batch, { perWeight: 2 });
  expect(loss).toBeCloseTo(dataLoss(model, batch) + penaltyOf(model), 4);
});
