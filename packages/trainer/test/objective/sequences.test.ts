import { errorOf, fixWeights, numbers, rows, TEST_BACKENDS, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { TrainerOptions } from '../../src/index.js';
import { weighted } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

/** Tokens of 4 steps, padded with 0: 9 steps of 3 samples count. */
const tokens = [
  [3, 1, 2, 4],
  [2, 4, 0, 0],
  [1, 1, 3, 0],
];
const counts = tokens.flat().map((token) => Number(token !== 0));
const labels = [
  [0, 1, 2, 0],
  [1, 0, 0, 0],
  [2, 2, 1, 0],
];

/** Logits of 3 classes for each step. */
function tagger(maskZero: boolean): tfl.LayersModel {
  return fixWeights(
    tfl.sequential({
      layers: [
        tfl.layers.embedding({ inputDim: 5, outputDim: 3, inputLength: 4, maskZero }),
        tfl.layers.dense({ name: 'tag', units: 3 }),
      ],
    }),
  );
}

/** Of each step of `tokens`: its cross-entropy, and whether its most likely class is right. */
function expectedSteps(): { entropy: number; right: number }[] {
  const logits = tf.tidy(() => (tagger(false).predict(tf.tensor2d(tokens)) as tf.Tensor3D).arraySync());
  return logits.flat().map((row, step) => {
    const label = labels.flat()[step]!;
    const total = row.reduce((sum, each) => sum + Math.exp(each), 0);
    return { entropy: Math.log(total) - row[label]!, right: Number(row.indexOf(Math.max(...row)) === label) };
  });
}

const steps = expectedSteps();
const meanOf = (of: 'entropy' | 'right', weights: readonly number[], divisor: readonly number[] = weights) =>
  steps.reduce((sum, step, i) => sum + step[of] * weights[i]!, 0) / divisor.reduce((a, b) => a + b);

function trainerFor(options: Partial<TrainerOptions>) {
  return quietTrainer({
    model: tagger(true),
    loss: 'sparseSoftmaxCrossentropy',
    metrics: ['accuracy', 'perplexity'],
    ...options,
  });
}

test.each(TEST_BACKENDS)('padded steps count in no loss and no metric: %s', async (backend) => {
  const trainer = trainerFor({ backend });
  for (const batchSize of [1, 2, 3]) {
    const found = await trainer.test({ data: { xs: tokens, ys: labels }, batchSize });
    expect(found['test/loss']).toBeCloseTo(meanOf('entropy', counts), 5);
    expect(found['test/accuracy']).toBeCloseTo(meanOf('right', counts), 5);
    expect(found['test/perplexity']).toBeCloseTo(Math.exp(meanOf('entropy', counts)), 4);
  }
});

test('what the targets of padded steps are makes no difference to training', async () => {
  const train = async (filler: number) => {
    const model = fixWeights(
      tfl.sequential({
        layers: [
          tfl.layers.embedding({ inputDim: 5, outputDim: 3, inputLength: 4, maskZero: true }),
          tfl.layers.lstm({ units: 3, returnSequences: true }),
          tfl.layers.dense({ units: 1 }),
        ],
      }),
    );
    const ys = tokens.map((row) => row.map((token) => [token === 0 ? filler : token / 4]));
    const trainer = quietTrainer({ model, optimizer: 'adam', metrics: ['meanAbsoluteError'] });
    const { history } = await trainer.fit({ train: { xs: tokens, ys }, epochs: 3, batchSize: 2 });
    return { history, weights: weightsOf(model) };
  };
  expect(await train(1000)).toEqual(await train(0));
});

test('a batch that is all padding has the loss 0, and its gradient is nothing', async () => {
  const model = tagger(true);
  const before = weightsOf(model);
  const empty = { xs: [[0, 0, 0, 0]], ys: [[0, 0, 0, 0]] };
  const trainer = trainerFor({ model, optimizer: { name: 'sgd', lr: 1 } });
  const { history } = await trainer.fit({ train: empty, epochs: 1 });
  expect(history[0]).toEqual({ 'train/loss': 0, 'train/accuracy': 0, 'train/perplexity': 1 });
  expect(weightsOf(model)).toEqual(before);
});

test('weights of steps scale the loss of each step, and the metrics that are weighted', async () => {
  const weights = numbers(12, 5).map((value) => 1 + value);
  const trainer = trainerFor({ model: tagger(false), metrics: ['accuracy', weighted('accuracy')] });
  const shaped = [weights.slice(0, 4), weights.slice(4, 8), weights.slice(8)];
  const found = await trainer.test({ data: { xs: tokens, ys: labels, weights: shaped }, batchSize: 2 });
  const ones = weights.map(() => 1);
  expect(found['test/loss']).toBeCloseTo(meanOf('entropy', weights, ones), 5);
  expect(found['test/accuracy']).toBeCloseTo(meanOf('right', ones), 5);
  expect(found['test/weighted-accuracy']).toBeCloseTo(meanOf('right', weights), 5);

  // With a mask, what is weighted is what is left; the divisor is the number of steps that count.
  const masked = trainerFor({ metrics: [weighted('accuracy')] });
  const both = weights.map((weight, i) => weight * counts[i]!);
  const left = await masked.test({ data: { xs: tokens, ys: labels, weights: shaped } });
  expect(left['test/loss']).toBeCloseTo(meanOf('entropy', both, counts), 5);
  expect(left['test/weighted-accuracy']).toBeCloseTo(meanOf('right', both), 5);
});

test.each(TEST_BACKENDS)('an ignored label counts in no loss and no metric: %s', async (backend) => {
  const ys = labels.map((row, i) => row.map((label, t) => (tokens[i]![t] === 0 ? -100 : label)));
  const options = { backend, model: tagger(false), ignoreLabel: -100 };
  const found = await trainerFor(options).test({ data: { xs: tokens, ys }, batchSize: 2 });
  expect(found['test/loss']).toBeCloseTo(meanOf('entropy', counts), 5);
  expect(found['test/accuracy']).toBeCloseTo(meanOf('right', counts), 5);
  const asMasked = async (trainer: ReturnType<typeof trainerFor>, targets: number[][]) => {
    const { history } = await trainer.fit({ train: { xs: tokens, ys: targets }, epochs: 2, batchSize: 2 });
    return history.map(({ 'train/loss': loss }) => loss!);
  };
  const ignored = await asMasked(trainerFor(options), ys);
  const masked = await asMasked(trainerFor({ backend }), labels);
  ignored.forEach((loss, i) => {
    expect(loss).toBeCloseTo(masked[i]!, 5);
  });
});

test('an ignored label among several labels of a sample leaves the others', async () => {
  const model = fixWeights(
    tfl.sequential({ layers: [tfl.layers.dense({ units: 2, inputShape: [3], activation: 'sigmoid' })] }),
  );
  const xs = rows(4, 3, 2);
  const ys = [
    [1, -1],
    [0, 1],
    [-1, -1],
    [1, 0],
  ];
  const outputs = tf.tidy(() => (model.predict(tf.tensor2d(xs)) as tf.Tensor2D).arraySync());
  const known = ys.flatMap((row, i) =>
    row.flatMap((y, k) => (y < 0 ? [] : [y === 1 ? outputs[i]![k]! : 1 - outputs[i]![k]!])),
  );
  const trainer = quietTrainer({ model, loss: 'binaryCrossentropy', ignoreLabel: -1, metrics: ['accuracy'] });
  const found = await trainer.test({ data: { xs, ys }, batchSize: 3 });
  expect(found['test/loss']).toBeCloseTo(known.reduce((sum, p) => sum - Math.log(p), 0) / known.length, 5);
  expect(found['test/accuracy']).toBeCloseTo(known.filter((p) => p > 0.5).length / known.length, 5);
});

test('ignoreLabel needs labels', async () => {
  const softmax = await errorOf(async () =>
    trainerFor({ loss: 'softmaxCrossentropy', ignoreLabel: 0 }).ready(),
  );
  expect(softmax).toMatchObject({ code: 'BAD_LOSS' });
  expect(softmax.message).toContain('ignoreLabel needs a loss whose targets are labels');
  const half = await errorOf(async () => trainerFor({ ignoreLabel: 0.5 }).ready());
  expect(half).toMatchObject({ code: 'BAD_OPTIONS' });
});

/** Two outputs for each sample. */
function twoHeads(): tfl.LayersModel {
  const input = tfl.input({ shape: [3] });
  const heads = ['near', 'far'].map((name) => tfl.layers.dense({ units: 1, name }).apply(input));
  return fixWeights(tfl.model({ inputs: input, outputs: heads as tfl.SymbolicTensor[] }));
}

test('each output can have its own sample weights', async () => {
  const data = { xs: rows(6, 3, 1), ys: { near: rows(6, 1, 2), far: rows(6, 1, 3) } };
  const [some, others] = [numbers(6, 4).map(Math.abs), numbers(6, 5).map(Math.abs)];
  const lossesWith = async (weights: unknown) =>
    quietTrainer({ model: twoHeads() }).test({ data: { ...data, weights } as never, batchSize: 4 });
  const [plain, first, second] = [
    await lossesWith(undefined),
    await lossesWith(some),
    await lossesWith(others),
  ];
  for (const weights of [{ near: some, far: others }, [Float32Array.from(some), Float32Array.from(others)]]) {
    const found = await lossesWith(weights);
    expect(found['test/near/loss']).toBeCloseTo(first['test/near/loss']!, 6);
    expect(found['test/far/loss']).toBeCloseTo(second['test/far/loss']!, 6);
  }
  const half = await lossesWith({ far: others });
  expect(half['test/near/loss']).toBeCloseTo(plain['test/near/loss']!, 6);
  expect(half['test/far/loss']).toBeCloseTo(second['test/far/loss']!, 6);
  const error = await errorOf(lossesWith({ fare: others }));
  expect(error).toMatchObject({ code: 'BAD_BATCH' });
  expect(error.message).toContain('Did you mean "far"?');
});

test('weights that fit neither samples nor steps are refused', async () => {
  const error = await errorOf(
    trainerFor({}).test({ data: { xs: tokens, ys: labels, weights: rows(3, 2) }, batchSize: 3 }),
  );
  expect(error).toMatchObject({ code: 'BAD_BATCH' });
  expect(error.message).toContain(
    'The sample weights have shape [3,2], but the losses of 3 samples have shape [3,4]',
  );
});

test('a loss function without a loss for each step cannot be masked', async () => {
  const error = await errorOf(
    trainerFor({ loss: tf.losses.meanSquaredError, metrics: [] }).test({
      data: { xs: tokens, ys: tokens.map((row) => row.map(() => [1, 2, 3])) },
    }),
  );
  expect(error).toMatchObject({ code: 'BAD_LOSS' });
  expect(error.message).toContain('The mask of the output has shape [3,4]');
});

test('masked training leaves no tensor behind', async () => {
  const trainer = trainerFor({ metrics: ['accuracy', weighted('f1')], accumulate: 2 });
  const data = { xs: tokens, ys: labels, weights: [1, 2, 3] };
  const run = () => trainer.fit({ train: data, validation: data, epochs: 2, batchSize: 1 });
  await run();
  const before = tf.memory().numTensors;
  await run();
  expect(tf.memory().numTensors).toBe(before);
});
