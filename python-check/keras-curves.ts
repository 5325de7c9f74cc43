// Small models trained for 100 steps: their first weights, their batches, the loss of every step, and now and then
// weights with the gradients that belong to them.

import * as tf from '@tensorflow/tfjs-core';
import type { Hook } from '../packages/hook-api/src/index.js';
import { Trainer } from '../packages/trainer/src/index.js';
import { CASES, type Case } from './keras-cases.js';

const STEPS = 100;
const BATCH = 8;
const LOOK_EVERY = 20;

const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };

async function curve(each: Case, backend: 'cpu' | 'wasm', seed: number) {
  const { name, loss, optimizer, model } = each;
  const batches = Array.from({ length: STEPS }, (_, step) => ({
    xs: inputs(each, seed + step),
    ys: targets(each, seed + step),
  }));
  const losses: number[] = [];
  const points: unknown[] = [];
  const watch: Hook = {
    name: 'watch',
    onAfterBackward: (ctx, { batchIndex, gradients }) => {
      if (batchIndex % LOOK_EVERY !== 0) return;
      const weights = weightsOf(ctx.state.model).map(plain);
      points.push({ step: batchIndex, weights, gradients: Object.values(gradients).map(plain) });
    },
    onTrainBatchEnd: (_ctx, event) => void losses.push(event.loss ?? Number.NaN),
  };
  const trainer = new Trainer({
    ...{ model, loss, optimizer, seed, backend, logger: silent, discover: false, runsDir: false },
    hooks: [watch],
  });
  const data = batches.map((batch) => ({ xs: plain(batch.xs), ys: plain(batch.ys) }));
  await trainer.fit({ train: batches, epochs: 1 });
  return { name, backend, loss, optimizer, batches: data, losses, points };
}

/** Layer by layer: tfjs puts those that are not trained at the end of a model's own list. */
function weightsOf(model: ReturnType<Case['model']>): tf.Tensor[] {
  if ('forward' in model) return Object.values(model.parameters?.() ?? {});
  return model.layers.flatMap((layer) => layer.getWeights());
}

function inputs({ xs, kinds }: Case, seed: number): tf.Tensor {
  if (kinds === undefined) return tf.randomNormal([BATCH, ...xs], 0, 1, 'float32', seed);
  return tf.randomUniform([BATCH, ...xs], 0, kinds, 'int32', seed);
}

function targets({ ys, loss }: Case, seed: number): tf.Tensor {
  const values = tf.randomNormal([BATCH, ...ys], 0, 1, 'float32', seed + 1000);
  if (loss === 'sigmoidCrossentropy') return tf.cast(tf.greater(values, 0), 'float32');
  if (loss === 'meanSquaredError') return values;
  return tf.cast(tf.oneHot(tf.argMax(values, 1), ys[0]!), 'float32');
}

function plain(tensor: tf.Tensor): { shape: number[]; values: number[] } {
  return { shape: tensor.shape, values: [...tensor.dataSync()] };
}

const curves = [];
for (const [index, each] of CASES.entries()) {
  for (const backend of each.backends ?? ['wasm']) {
    curves.push(await curve(each, backend, 100 * (index + 1)));
  }
}
console.log(JSON.stringify(curves));
