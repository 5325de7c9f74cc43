import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import '../../../src/backends/select-backend.js';
import { auc } from '../../../src/objective/metrics/auc.js';
import { batchSums, disposeSums } from '../../../src/objective/metrics/batch-sums.js';
import { topKAccuracy } from '../../../src/objective/metrics/class-metrics.js';
import type { Metric } from '../../../src/objective/metrics/metric.js';
import { metricsOf } from '../../../src/objective/metrics/metric-option.js';
import { MetricTotals } from '../../../src/objective/metrics/metric-totals.js';
import { outputMetrics } from '../../../src/objective/metrics/output-metrics.js';

beforeAll(async () => {
  await tf.setBackend('cpu');
});

/** The metric over batches of unequal size, as the trainer computes it. */
async function over(
  metric: Metric,
  targets: number[],
  outputs: number[][],
  sizes: number[],
): Promise<number> {
  const totals = new MetricTotals('val');
  const objective = { loss: undefined, metricsFor: outputMetrics([metric]) };
  let start = 0;
  for (const size of sizes) {
    const y = tf.tensor1d(targets.slice(start, start + size));
    const p = tf.tensor2d(outputs.slice(start, start + size));
    const losses = { total: tf.scalar(0), count: size, outputs: {} };
    const sums = batchSums(objective, p, { xs: p, ys: y }, losses);
    totals.add(sums);
    disposeSums(sums);
    tf.dispose([y, p]);
    start += size;
  }
  const numbers = await totals.read();
  totals.dispose();
  return numbers[`val/${metric.name}`]!;
}

const random = (() => {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
})();

const scores = Array.from({ length: 50 }, () => [random()]);
const labels = scores.map(([score]) => (random() < 0.2 + 0.6 * score! ? 1 : 0));
const sizes = [7, 20, 1, 22];
const metric = (name: 'precision' | 'recall' | 'f1' | 'rootMeanSquaredError' | 'perplexity') =>
  metricsOf([name])[0]!;

describe('with two classes, over unequal batches', () => {
  const count = (said: number, truth: number) =>
    scores.filter(([score], index) => Number(score! > 0.5) === said && labels[index] === truth).length;
  const [tp, fp, fn] = [count(1, 1), count(1, 0), count(0, 1)];

  test.each([
    ['precision', tp / (tp + fp)],
    ['recall', tp / (tp + fn)],
    ['f1', (2 * tp) / (2 * tp + fp + fn)],
  ] as const)('%s counts over all samples', async (name, expected) => {
    expect(await over(metric(name), labels, scores, sizes)).toBeCloseTo(expected, 5);
  });

  test('auc tells the scores of a rare class apart, however small they are', async () => {
    const labels = Array.from({ length: 40 }, (_, i) => Number(i % 10 === 0));
    const scores = labels.map((label, i) => [(label === 1 ? 2e-3 : 1e-4) * (1 + i / 100)]);
    expect(await over(auc(), labels, scores, [40])).toBe(1);
  });

  test('auc is the share of pairs that are in the right order', async () => {
    let [won, pairs] = [0, 0];
    for (const [i, [p]] of scores.entries()) {
      for (const [j, [q]] of scores.entries()) {
        if (labels[i] !== 1 || labels[j] !== 0) continue;
        pairs++;
        won += p! > q! ? 1 : p === q ? 0.5 : 0;
      }
    }
    expect(await over(auc({ bins: 4096 }), labels, scores, sizes)).toBeCloseTo(won / pairs, 3);
  });

  test('auc is 1 for a perfect ranking and 0.5 for equal scores', async () => {
    expect(await over(auc(), [0, 0, 1, 1], [[0.1], [0.2], [0.8], [0.9]], [3, 1])).toBe(1);
    expect(await over(auc(), [0, 1, 0, 1], [[0.5], [0.5], [0.5], [0.5]], [2, 2])).toBe(0.5);
  });
});

describe('with several classes, over unequal batches', () => {
  const truth = Array.from({ length: 40 }, () => Math.floor(random() * 4));
  const outputs = truth.map(() => Array.from({ length: 4 }, () => random()));
  const best = outputs.map((row) => row.indexOf(Math.max(...row)));

  test('precision and recall are means over the classes', async () => {
    const perClass = [0, 1, 2, 3].map((each) => {
      const tp = best.filter((said, index) => said === each && truth[index] === each).length;
      return {
        precision: tp / best.filter((said) => said === each).length,
        recall: tp / truth.filter((t) => t === each).length,
      };
    });
    const mean = (name: 'precision' | 'recall') => perClass.reduce((sum, each) => sum + each[name], 0) / 4;
    expect(await over(metric('precision'), truth, outputs, [13, 27])).toBeCloseTo(mean('precision'), 5);
    expect(await over(metric('recall'), truth, outputs, [13, 27])).toBeCloseTo(mean('recall'), 5);
  });

  test('top-2 accuracy asks whether the right class is among the best two', async () => {
    const hits = outputs.filter((row, index) => {
      const second = [...row].sort((a, b) => b - a)[1]!;
      return row[truth[index]!]! >= second;
    }).length;
    expect(await over(topKAccuracy(2), truth, outputs, [39, 1])).toBeCloseTo(hits / 40, 5);
  });

  test('perplexity is the exponential of the mean cross-entropy', async () => {
    const rows = outputs.map((row) => row.map((each) => each / row.reduce((sum, p) => sum + p, 0)));
    const entropy = rows.reduce((sum, row, index) => sum - Math.log(row[truth[index]!]!), 0) / rows.length;
    expect(await over(metric('perplexity'), truth, rows, [10, 30])).toBeCloseTo(Math.exp(entropy), 3);
  });
});

test('root mean squared error is the root of the mean over all samples, not a mean of roots', async () => {
  const expected = Math.sqrt(
    scores.reduce((sum, [score], i) => sum + (score! - labels[i]!) ** 2, 0) / scores.length,
  );
  expect(await over(metric('rootMeanSquaredError'), labels, scores, sizes)).toBeCloseTo(expected, 5);
});
