import { classes, classifier, fixWeights, regression, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import { auc, type LossOption, type MetricsOption, meanMetric, topKAccuracy } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

const { xs, labels, oneHot } = classes(30);
const yes = regression(30).xs.map(([a, b]) => [Number(a! + b! > 0)]);
const tags = rows(30, 3, 9).map((row) => row.map((value) => Number(value > 0)));

function scorer(units: number, activation: 'linear' | 'sigmoid'): tfl.LayersModel {
  const dense = tfl.layers.dense({ units, activation, inputShape: [3], kernelInitializer: 'randomNormal' });
  return fixWeights(tfl.sequential({ layers: [dense] }));
}

async function measured(model: tfl.LayersModel, loss: LossOption, ys: unknown, metrics: MetricsOption) {
  const data = { xs: ys === yes || ys === tags ? regression(30).xs : xs, ys };
  return quietTrainer({ model, loss, metrics }).test({ data: data as never, batchSize: 7 });
}

const ALL: MetricsOption = ['accuracy', 'precision', 'recall', 'f1', auc(), 'perplexity'];
const ERRORS: MetricsOption = ['meanSquaredError', 'rootMeanSquaredError', 'meanAbsoluteError'];

test.each([
  ['softmaxCrossentropy', 'categoricalCrossentropy', oneHot, [...ALL, ...ERRORS, topKAccuracy(2)]],
  ['sparseSoftmaxCrossentropy', 'sparseCategoricalCrossentropy', labels, [...ALL, topKAccuracy(2)]],
] as const)('with %s metrics are those of the probabilities', async (logits, probabilities, ys, metrics) => {
  const ofLogits = await measured(classifier('linear'), logits, ys, metrics as never);
  const expected = await measured(classifier('softmax'), probabilities, ys, metrics as never);
  for (const [name, value] of Object.entries(expected)) expect(ofLogits[name], name).toBeCloseTo(value, 5);
  expect(ofLogits['test/perplexity']).toBeCloseTo(Math.exp(ofLogits['test/loss']!), 4);
});

test.each([
  ['one label', 1, yes],
  ['several labels', 3, tags],
] as const)(
  'with sigmoidCrossentropy metrics are those of the probabilities: %s',
  async (_what, units, ys) => {
    const metrics = [...ALL, ...ERRORS] as MetricsOption;
    const ofLogits = await measured(scorer(units, 'linear'), 'sigmoidCrossentropy', ys, metrics);
    const expected = await measured(scorer(units, 'sigmoid'), 'binaryCrossentropy', ys, metrics);
    for (const [name, value] of Object.entries(expected)) expect(ofLogits[name], name).toBeCloseTo(value, 5);
  },
);

test('several labels are each a yes or no: the accuracy is over all of them', async () => {
  const model = scorer(3, 'sigmoid');
  const scores = tfPredict(model, regression(30).xs);
  const right = scores.flatMap((row, i) => row.map((p, k) => Number(Number(p > 0.5) === tags[i]![k])));
  const { 'test/accuracy': accuracy } = await measured(model, 'binaryCrossentropy', tags, ['accuracy']);
  expect(accuracy).toBeCloseTo(right.reduce((sum, each) => sum + each, 0) / 90, 6);
});

test('with hinge the sign decides, of targets -1 and 1', async () => {
  const model = scorer(1, 'linear');
  const signs = yes.map(([y]) => [2 * y! - 1]);
  const scores = tfPredict(model, regression(30).xs).flat();
  const right = scores.filter((score, i) => Math.sign(score) === signs[i]![0]).length / 30;
  const trainer = quietTrainer({ model, loss: 'hinge', metrics: ['accuracy', 'recall', 'auc'] });
  const found = await trainer.test({ data: { xs: regression(30).xs, ys: signs }, batchSize: 7 });
  expect(found['test/accuracy']).toBeCloseTo(right, 6);
  const expected = await measured(scorer(1, 'sigmoid'), 'binaryCrossentropy', yes, ['recall', 'auc']);
  expect(found['test/recall']).toBeCloseTo(expected['test/recall']!, 6);
  expect(found['test/auc']).toBeCloseTo(expected['test/auc']!, 6);
});

test('each output goes by its own loss', async () => {
  const input = tfl.input({ shape: [4] });
  const outputs = (activation: 'linear' | 'softmax') => [
    tfl.layers.dense({ units: 3, activation, name: 'kind' }).apply(input) as tfl.SymbolicTensor,
    tfl.layers.dense({ units: 3, activation: 'softmax', name: 'other' }).apply(input) as tfl.SymbolicTensor,
  ];
  const ys = { kind: labels, other: labels };
  const data = { xs: rows(30, 4, 3), ys };
  const run = (model: tfl.LayersModel, kind: 'sparseSoftmaxCrossentropy' | 'sparseCategoricalCrossentropy') =>
    quietTrainer({
      model: fixWeights(model),
      loss: { kind, other: 'sparseCategoricalCrossentropy' },
      metrics: ['perplexity'],
    }).test({ data });
  const found = await run(
    tfl.model({ inputs: input, outputs: outputs('linear') }),
    'sparseSoftmaxCrossentropy',
  );
  const expected = await run(
    tfl.model({ inputs: input, outputs: outputs('softmax') }),
    'sparseCategoricalCrossentropy',
  );
  for (const [name, value] of Object.entries(expected)) expect(found[name], name).toBeCloseTo(value, 4);
});

test('a metric of your own gets the outputs as they are, and probabilities if it asks', async () => {
  const seen: { logits: unknown; same: boolean }[] = [];
  const own = meanMetric('own', (_targets, outputs: tf.Tensor, { logits, probabilities }) => {
    seen.push({ logits, same: probabilities() === outputs });
    return probabilities();
  });
  const found = await measured(classifier('linear'), 'softmaxCrossentropy', oneHot, [own]);
  expect(found['test/own']).toBeCloseTo(1 / 3, 5);
  expect(seen[0]).toEqual({ logits: 'softmax', same: false });
  await measured(classifier('softmax'), 'categoricalCrossentropy', oneHot, [own]);
  expect(seen.at(-1)).toEqual({ logits: undefined, same: true });
});

function tfPredict(model: tfl.LayersModel, inputs: number[][]): number[][] {
  return (model.predict(tf.tensor2d(inputs)) as tf.Tensor2D).arraySync();
}
