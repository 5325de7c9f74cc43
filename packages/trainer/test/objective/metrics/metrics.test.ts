import { classes, classifier, recorder, regression, regressor } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { type MetricOption, meanMetric, topKAccuracy } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

/** 10 samples in batches of 4, 4 and 2, against all of them at once. */
async function overUnequalBatches(
  metrics: MetricOption[],
  data: object,
  model = classifier(),
  loss = 'categoricalCrossentropy',
) {
  const trainer = quietTrainer({ model, metrics, loss: loss as never });
  const parts = await trainer.test({ data: data as never, batchSize: 4 });
  const whole = await trainer.test({ data: data as never, batchSize: 100 });
  return { parts, whole };
}

const { xs, labels, oneHot } = classes(10);

function outputs(): number[][] {
  return tf.tidy(() => (classifier().predict(tf.tensor2d(xs)) as tf.Tensor2D).arraySync());
}

test('loss and metrics over unequal batches are those of the whole data', async () => {
  const hit = (targets: tf.Tensor, outputs: tf.Tensor) =>
    tf.cast(tf.equal(tf.argMax(targets, -1), tf.argMax(outputs, -1)), 'float32');
  const { parts, whole } = await overUnequalBatches(
    ['accuracy', 'meanSquaredError', 'meanAbsoluteError', hit],
    { xs, ys: oneHot },
  );
  expect(Object.keys(parts)).toEqual([
    'test/loss',
    'test/accuracy',
    'test/meanSquaredError',
    'test/meanAbsoluteError',
    'test/hit',
  ]);
  for (const [name, value] of Object.entries(whole)) expect(parts[name], name).toBeCloseTo(value, 6);
  const right = outputs().filter((row, i) => row.indexOf(Math.max(...row)) === labels[i]).length;
  expect(parts['test/accuracy']).toBeCloseTo(right / 10, 6);
  expect(parts['test/hit']).toBeCloseTo(right / 10, 6);
  expect(right).toBeGreaterThan(0);
  expect(right).toBeLessThan(10);
  const squares = outputs().flatMap((row, i) => row.map((p, k) => (p - oneHot[i]![k]!) ** 2));
  expect(parts['test/meanSquaredError']).toBeCloseTo(squares.reduce((a, b) => a + b, 0) / 30, 5);
});

test('training metrics of an epoch are means over its samples too', async () => {
  const seen = recorder('recorder', ['onTrainBatchEnd']);
  const trainer = quietTrainer({
    model: classifier(),
    loss: 'categoricalCrossentropy',
    metrics: ['accuracy'],
    hooks: [seen],
  });
  const { history } = await trainer.fit({ train: { xs, ys: oneHot }, epochs: 1, batchSize: 4 });
  const sizes = [4, 4, 2];
  for (const name of ['train/loss', 'train/accuracy']) {
    const values = seen.events.map(({ payload }) => payload.metrics[name] as number);
    const mean = values.reduce((sum, value, i) => sum + value * sizes[i]!, 0) / 10;
    expect(history[0]![name]).toBeCloseTo(mean, 6);
  }
});

test('accuracy takes class numbers, one-hot rows and yes-or-no targets', async () => {
  const ofClasses = await overUnequalBatches(['accuracy'], { xs, ys: oneHot });
  const ofNumbers = await overUnequalBatches(
    ['accuracy'],
    { xs, ys: labels },
    classifier(),
    'sparseCategoricalCrossentropy',
  );
  expect(ofNumbers.parts['test/accuracy']).toBe(ofClasses.parts['test/accuracy']);
  const yes = regression(10).xs.map(([a]) => Number(a! > 0));
  const scores = tf.tidy(() => [
    ...(regressor().predict(tf.tensor2d(regression(10).xs)) as tf.Tensor).dataSync(),
  ]);
  const expected = scores.filter((score, i) => Number(score > 0.5) === yes[i]).length / 10;
  for (const ys of [yes, yes.map((y) => [y])]) {
    const { parts } = await overUnequalBatches(
      ['accuracy'],
      { xs: regression(10).xs, ys },
      regressor(),
      'meanSquaredError',
    );
    expect(parts['test/accuracy']).toBeCloseTo(expected, 6);
  }
});

test('a metric of your own keeps sums of any shape, and says what they mean in the end', async () => {
  const recall = {
    name: 'recall',
    update: (targets: tf.Tensor, predicted: tf.Tensor) => {
      const best = tf.oneHot(tf.argMax(predicted, -1), 3);
      return tf.stack([tf.sum(tf.mul(targets, tf.cast(best, 'float32')), 0), tf.sum(targets, 0)]);
    },
    result: ([a, b, c, na, nb, nc]: readonly number[]) => (a! / na! + b! / nb! + c! / nc!) / 3,
  };
  const { parts } = await overUnequalBatches([recall], { xs, ys: oneHot });
  const predicted = outputs().map((row) => row.indexOf(Math.max(...row)));
  const perClass = [0, 1, 2].map((label) => {
    const mine = labels.flatMap((each, i) => (each === label ? [i] : []));
    return mine.filter((i) => predicted[i] === label).length / mine.length;
  });
  expect(parts['test/recall']).toBeCloseTo((perClass[0]! + perClass[1]! + perClass[2]!) / 3, 5);
});

test('a named mean metric is a function with a name', async () => {
  const { parts } = await overUnequalBatches(
    [meanMetric('first-probability', (_targets, outputs) => tf.slice(outputs, [0, 0], [-1, 1]))],
    { xs, ys: oneHot },
  );
  expect(parts['test/first-probability']).toBeCloseTo(outputs().reduce((sum, [p]) => sum + p!, 0) / 10, 5);
});

test('several loaders have metrics of their own and over all', async () => {
  const trainer = quietTrainer({ model: regressor(), metrics: ['meanAbsoluteError'] });
  const data = regression(9);
  const part = (from: number, to: number) => ({ xs: data.xs.slice(from, to), ys: data.ys.slice(from, to) });
  const metrics = await trainer.validate({ data: { clean: part(0, 6), noisy: part(6, 9) } });
  const clean = await trainer.validate({ data: part(0, 6) });
  const all = await trainer.validate({ data });
  expect(Object.keys(metrics).sort()).toEqual([
    'val/clean/loss',
    'val/clean/meanAbsoluteError',
    'val/loss',
    'val/meanAbsoluteError',
    'val/noisy/loss',
    'val/noisy/meanAbsoluteError',
  ]);
  expect(metrics['val/clean/loss']).toBeCloseTo(clean['val/loss']!, 6);
  expect(metrics['val/loss']).toBeCloseTo(all['val/loss']!, 6);
  expect(metrics['val/meanAbsoluteError']).toBeCloseTo(all['val/meanAbsoluteError']!, 6);
});

test('every metric by name is right over unequal batches, and for each loader', async () => {
  const METRICS: MetricOption[] = [
    'accuracy',
    'topKAccuracy',
    topKAccuracy(2),
    'precision',
    'recall',
    'f1',
    'meanSquaredError',
    'rootMeanSquaredError',
    'meanAbsoluteError',
    'perplexity',
  ];
  const part = (from: number, to: number) => ({ xs: xs.slice(from, to), ys: oneHot.slice(from, to) });
  const trainer = quietTrainer({ model: classifier(), metrics: METRICS, loss: 'categoricalCrossentropy' });
  const parts = await trainer.validate({ data: { some: part(0, 7), few: part(7, 10) }, batchSize: 4 });
  for (const [loader, from, to] of [
    ['', 0, 10],
    ['some/', 0, 7],
    ['few/', 7, 10],
  ] as const) {
    const whole = await trainer.validate({ data: part(from, to), batchSize: 100 });
    expect(Object.keys(whole)).toHaveLength(METRICS.length + 1);
    for (const [name, value] of Object.entries(whole)) {
      expect(parts[name.replace('val/', `val/${loader}`)], loader + name).toBeCloseTo(value, 5);
    }
  }
  const binary = { xs: regression(10).xs, ys: regression(10).xs.map(([a]) => [Number(a! > 0)]) };
  const { parts: inParts, whole } = await overUnequalBatches(
    ['auc', 'f1'],
    binary,
    regressor(),
    'meanSquaredError',
  );
  expect(inParts['test/auc']).toBeCloseTo(whole['test/auc']!, 6);
  expect(inParts['test/f1']).toBeCloseTo(whole['test/f1']!, 6);
});

test('best is the epoch with the lowest validation loss, or training loss without validation', async () => {
  const trainer = quietTrainer({ model: regressor(), optimizer: { name: 'adam', lr: 0.3 } });
  const { history, best } = await trainer.fit({
    train: regression(16),
    validation: regression(8, 2),
    epochs: 6,
  });
  const losses = history.map((metrics) => metrics['val/loss']!);
  const lowest = Math.min(...losses);
  expect(best).toEqual({ metric: 'val/loss', value: lowest, epoch: losses.indexOf(lowest) + 1 });
  const without = await trainer.fit({ train: regression(16), epochs: 1 });
  expect(without.best).toEqual({
    metric: 'train/loss',
    value: without.history[0]!['train/loss'],
    epoch: 1,
  });
});
