// One optimizer step of each model of padded sequences: weights before and after it, the loss, and the metrics.

import * as tf from '@tensorflow/tfjs-core';
import type { LayersModel } from '@tensorflow/tfjs-layers';
import { Trainer, weighted } from '../packages/trainer/src/index.js';
import { MODELS, SEQUENCE_CASES, type SequenceCase, STEPS, TOKENS } from './sequence-cases.js';

const SAMPLES = 8;
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const random = (() => {
  let state = 5;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
})();
const table = <Value>(make: (row: number, step: number) => Value) =>
  Array.from({ length: SAMPLES }, (_, row) => Array.from({ length: STEPS }, (_, step) => make(row, step)));

/** Tokens of 1 to all steps, padded with 0. */
const tokens = () => {
  const lengths = Array.from({ length: SAMPLES }, () => 1 + Math.floor(random() * STEPS));
  return table((row, step) => (step < lengths[row]! ? 1 + Math.floor(random() * (TOKENS - 1)) : 0));
};

async function judged(each: SequenceCase, backend: 'cpu' | 'wasm') {
  const { loss, settings = {}, weights, batches = [SAMPLES] } = each;
  const isSparse = loss.startsWith('sparse');
  const perStep = each.model !== 'pool';
  const inputs = MODELS[each.model]().inputs.map(tokens);
  const label = () => {
    if (isSparse) {
      return settings.ignoreLabel !== undefined && random() < 0.3
        ? settings.ignoreLabel
        : Math.floor(random() * 3);
    }
    if (loss === 'softmaxCrossentropy') {
      const right = Math.floor(random() * 3);
      return [0, 1, 2].map((index) => Number(index === right));
    }
    return [0, 1, 2].map(() => (loss === 'sigmoidCrossentropy' ? Number(random() < 0.5) : 4 * random() - 2));
  };
  const steps = table(label);
  const ys = perStep ? steps : steps.map(([first]) => first!);
  const weigh =
    weights &&
    (weights === 'steps' ? table(() => 2 * random()) : table(() => 2 * random()).map(([first]) => first!));
  const part = (values: unknown, start: number, size: number) =>
    tf.tensor((values as number[][]).slice(start, start + size));
  let start = 0;
  const parts = batches.map((size) => {
    const xs = inputs.map((column) => part(column, start, size));
    const batch = {
      xs: xs.length === 1 ? xs[0]! : xs,
      ys: part(ys, start, size),
      ...(weigh && { weights: part(weigh, start, size) }),
    };
    start += size;
    return batch;
  });
  const trainer = new Trainer({
    ...settings,
    model: () => MODELS[each.model](),
    loss,
    optimizer: { name: 'sgd', lr: 1 },
    metrics: isSparse ? ['accuracy', weighted('accuracy'), 'perplexity'] : ['meanAbsoluteError'],
    accumulate: batches.length,
    ...{ backend, seed: 3, logger: silent, discover: false, runsDir: false },
  });
  const weightsOf = async () =>
    ((await trainer.model()) as LayersModel).layers.flatMap((layer) =>
      layer.getWeights().map((weight) => weight.arraySync()),
    );
  const before = await weightsOf();
  const { history } = await trainer.fit({ train: parts, epochs: 1 });
  return { ...each, backend, inputs, ys, weigh, before, after: await weightsOf(), numbers: history[0] };
}

const results = [];
for (const [index, each] of SEQUENCE_CASES.entries()) {
  results.push(await judged(each, index % 2 === 0 ? 'wasm' : 'cpu'));
}
console.log(JSON.stringify(results));
