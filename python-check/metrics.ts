// A model with three outputs: its weights, data in unequal batches, and what we make of them in losses and metrics.
import type * as tf from '@tensorflow/tfjs-core';
import { input, type LayersModel, layers, model, type SymbolicTensor } from '@tensorflow/tfjs-layers';
import { auc, Trainer, topKAccuracy } from '../packages/trainer/src/index.js';

const SAMPLES = 203;
const BATCH = 32;

/** Outputs: a number, the probabilities of 4 classes, and one probability. */
function threeHeads(): LayersModel {
  const features = input({ shape: [5] });
  const hidden = layers.dense({ units: 8, activation: 'tanh', name: 'hidden' }).apply(features);
  const outputs = [
    layers.dense({ units: 1, name: 'size' }).apply(hidden),
    layers.dense({ units: 4, activation: 'softmax', name: 'kind' }).apply(hidden),
    layers.dense({ units: 1, activation: 'sigmoid', name: 'alive' }).apply(hidden),
  ];
  return model({ inputs: features, outputs: outputs as SymbolicTensor[] });
}

const random = (() => {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
})();
const table = <Value>(make: () => Value) => Array.from({ length: SAMPLES }, make);
const xs = table(() => Array.from({ length: 5 }, () => 2 * random() - 1));
const ys = {
  size: xs.map(([a, b]) => [a! - 2 * b! + random()]),
  kind: xs.map(([a]) => (random() < 0.5 ? Math.floor((a! + 1) * 2) : Math.floor(random() * 4))),
  alive: xs.map(([, b]) => [Number(b! + random() > 0.6)]),
};
const weights = table(() => 0.5 + random());
const lossWeights = { size: 0.5, kind: 2, alive: 1 };

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const trainer = new Trainer({
  model: threeHeads,
  loss: { size: 'meanSquaredError', kind: 'sparseCategoricalCrossentropy', alive: 'binaryCrossentropy' },
  lossWeights,
  metrics: {
    size: ['meanAbsoluteError', 'rootMeanSquaredError', 'meanSquaredError'],
    kind: ['accuracy', topKAccuracy(2), 'perplexity', 'f1'],
    alive: ['accuracy', 'precision', 'recall', 'f1', auc({ bins: 4096 })],
  },
  seed: 3,
  logger: silent,
  backend: 'cpu',
  discover: false,
  runsDir: false,
});
const built = (await trainer.model()) as LayersModel;
const plain = await trainer.test({ data: { xs, ys }, batchSize: BATCH });
const weighted = await trainer.test({ data: { xs, ys, weights }, batchSize: BATCH });
console.log(
  JSON.stringify({
    layers: Object.fromEntries(
      built.layers.map((layer) => [
        layer.name,
        layer.getWeights().map((weight: tf.Tensor) => weight.arraySync()),
      ]),
    ),
    data: { xs, ys, weights },
    lossWeights,
    plain,
    weighted,
  }),
);
