// Trains without FMA, with the trainer and with tfjs alone, and prints every bit. node-versions.mjs runs it.
import { createHash } from 'node:crypto';
import '@hookline/backend-wasm/register';
import { enableTraining } from '@hookline/backend-wasm';
import { Trainer } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

const models = {
  MLP: () => [
    layers.dense({ units: 16, activation: 'tanh', inputShape: [8, 8, 1] }),
    layers.flatten(),
    layers.dense({ units: 24, activation: 'relu' }),
  ],
  CNN: () => [
    layers.conv2d({ filters: 6, kernelSize: 3, activation: 'relu', inputShape: [8, 8, 1] }),
    layers.batchNormalization(),
    layers.maxPooling2d({ poolSize: 2 }),
    layers.flatten(),
  ],
  LSTM: () => [
    layers.reshape({ targetShape: [8, 8], inputShape: [8, 8, 1] }),
    layers.lstm({ units: 12, recurrentInitializer: 'glorotUniform' }),
  ],
};

// What register has set up, before it is told to do without FMA.
const { fma } = await enableTraining();
await enableTraining({ fma: false });

const results = {};
for (const [name, make] of Object.entries(models)) {
  results[`${name} with the trainer`] = await withTrainer(make);
  results[`${name} with model.fit`] = await withFit(make);
}
console.log(JSON.stringify({ node: process.version, fma, results }));

async function withTrainer(make) {
  const losses = [];
  const trainer = new Trainer({
    model: () => classifier(make),
    loss: 'categoricalCrossentropy',
    optimizer: { name: 'adam', lr: 0.01 },
    seed: 7,
    backend: 'wasm',
    discover: false,
    logger: silent,
    runsDir: false,
    hooks: [{ name: 'losses', onTrainBatchEnd: (_ctx, { loss }) => void losses.push(loss) }],
  });
  const first = bits((await trainer.model()).getWeights());
  await trainer.fit({ train: stripes(), epochs: 3, batchSize: 16 });
  return { first, losses, weights: bits((await trainer.model()).getWeights()) };
}

async function withFit(make) {
  const model = classifier(make);
  model.setWeights(model.getWeights().map(({ shape, size }, i) => tf.tensor(numbers(size, i), shape)));
  const first = bits(model.getWeights());
  model.compile({ optimizer: tf.train.adam(0.01), loss: 'categoricalCrossentropy' });
  const { xs, ys } = stripes();
  const { history } = await model.fit(xs, ys, { epochs: 3, batchSize: 16, shuffle: false, verbose: 0 });
  return { first, losses: history.loss, weights: bits(model.getWeights()) };
}

function classifier(make) {
  return sequential({ layers: [...make(), layers.dense({ units: 2, activation: 'softmax' })] });
}

/** Images of 8 x 8: is the bright stripe upright or level? */
function stripes() {
  const kinds = Array.from({ length: 64 }, (_, i) => i % 2);
  const pixels = kinds.flatMap((upright, i) =>
    Array.from({ length: 64 }, (_, p) => ((upright ? p % 8 : p >> 3) === (i >> 1) % 8 ? 1 : 0)),
  );
  return {
    xs: tf.tensor4d(pixels, [64, 8, 8, 1]),
    ys: tf.oneHot(tf.tensor1d(kinds, 'int32'), 2, 1, 0, 'float32'),
  };
}

/** From -0.5 to 0.5, in steps that float32 holds exactly. */
function numbers(count, seed) {
  let state = seed + 1;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state >>> 12) / 2 ** 20 - 0.5;
  });
}

function bits(tensors) {
  const hash = createHash('sha256');
  for (const tensor of tensors) hash.update(new Uint8Array(tensor.dataSync().slice().buffer));
  return hash.digest('hex').slice(0, 16);
}
