import { rows, someOf } from '@hookline/test-support';
import * as tfl from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import type { LossName, MetricName } from '../../../src/index.js';
import { LOSSES } from '../../../src/objective/losses/losses.js';
import { METRICS } from '../../../src/objective/metrics/metrics.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

/** What the numbers of an output are, and how many there are. */
interface Kind {
  outputs: 'probabilities' | 'logits' | 'scores' | 'numbers';
  /** Each number is a yes or no by itself. */
  labels?: true;
  signs?: true;
  classNumbers?: true;
}

const numbers: Kind = { outputs: 'numbers' };

/** Every loss has its line: one that is new here is an error of types. */
const KINDS: Record<LossName, Kind> = {
  meanSquaredError: numbers,
  meanAbsoluteError: numbers,
  meanAbsolutePercentageError: numbers,
  meanSquaredLogarithmicError: numbers,
  huber: numbers,
  logcosh: numbers,
  poisson: numbers,
  cosineProximity: numbers,
  binaryCrossentropy: { outputs: 'probabilities', labels: true },
  sigmoidCrossentropy: { outputs: 'logits', labels: true },
  categoricalCrossentropy: { outputs: 'probabilities' },
  sparseCategoricalCrossentropy: { outputs: 'probabilities', classNumbers: true },
  softmaxCrossentropy: { outputs: 'logits' },
  sparseSoftmaxCrossentropy: { outputs: 'logits', classNumbers: true },
  kullbackLeiblerDivergence: { outputs: 'probabilities' },
  hinge: { outputs: 'scores', labels: true, signs: true },
  squaredHinge: { outputs: 'scores', labels: true, signs: true },
  categoricalHinge: { outputs: 'scores' },
};

const SAMPLES = 23;
const WIDTH = 7;
const raw = rows(SAMPLES, WIDTH, 5).map((row) => row.map((value) => 2 * value));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const best = (row: readonly number[]) => row.indexOf(Math.max(...row));
const softmax = (row: number[]) => row.map((value) => Math.exp(value) / sum(row.map(Math.exp)));
const sigmoid = (row: number[]) => row.map((value) => 1 / (1 + Math.exp(-value)));

function samplesOf({ outputs, labels, signs, classNumbers }: Kind) {
  const shares = raw.map(labels ? sigmoid : softmax);
  const xs = outputs === 'probabilities' ? shares : raw;
  const right = raw.map((row, i) => (i % 3 === 0 ? best(row) : i % WIDTH));
  const truth = raw.map((row, i) =>
    row.map((_, k) => Number(labels ? (i + 2 * k) % 3 === 0 : k === right[i])),
  );
  const ys = classNumbers ? right : truth.map((row) => row.map((yes) => (signs ? 2 * yes - 1 : yes)));
  return { xs, ys, truth, shares, targets: ys as number[][] };
}

type Samples = ReturnType<typeof samplesOf>;

/** A number, worked out one by one; undefined where there is none. */
type Judge = (samples: Samples, kind: Kind) => number | undefined;

const said = ({ xs }: Samples, { outputs, labels }: Kind) =>
  xs.map((row) =>
    row.map((value, k) => Number(labels ? value > (outputs === 'probabilities' ? 0.5 : 0) : best(row) === k)),
  );

/** The mean over the classes of what their hits, wrong alarms and misses give. */
const overClasses =
  (ofClass: (hits: number, wrong: number, missed: number) => number): Judge =>
  (samples, kind) => {
    const found = said(samples, kind);
    const count = (k: number, is: number, was: number) =>
      samples.truth.filter((row, i) => row[k] === was && found[i]![k] === is).length;
    const counts = Array.from({ length: WIDTH }, (_, k) => [count(k, 1, 1), count(k, 1, 0), count(k, 0, 1)]);
    return mean(counts.filter((each) => sum(each) > 0).map(([h, w, m]) => ofClass(h!, w!, m!)));
  };

const error =
  (of: (difference: number) => number): Judge =>
  ({ xs, targets, shares }, { outputs, classNumbers }) =>
    classNumbers
      ? undefined
      : mean(
          (outputs === 'logits' ? shares : xs).flatMap((row, i) =>
            row.map((o, k) => of(o - targets[i]![k]!)),
          ),
        );

const JUDGES: Record<MetricName, Judge> = {
  accuracy: (samples, kind) => {
    const found = said(samples, kind);
    return kind.labels
      ? mean(samples.truth.flatMap((row, i) => row.map((yes, k) => Number(yes === found[i]![k]))))
      : mean(samples.truth.map((row, i) => Number(best(row) === best(found[i]!))));
  },
  topKAccuracy: ({ xs, truth }, { labels }) =>
    labels
      ? undefined
      : mean(xs.map((row, i) => Number(row.filter((score) => score > row[best(truth[i]!)]!).length < 5))),
  precision: overClasses((hits, wrong) => (hits === 0 ? 0 : hits / (hits + wrong))),
  recall: overClasses((hits, _wrong, missed) => (hits === 0 ? 0 : hits / (hits + missed))),
  f1: overClasses((hits, wrong, missed) => (2 * hits) / (2 * hits + wrong + missed)),
  auc: ({ xs, truth, shares }, { outputs }) => {
    const scores = (outputs === 'logits' ? shares : xs).flat();
    const all = truth.flat().map((yes, i) => ({ yes, score: scores[i]! }));
    const pairs = all
      .filter(({ yes }) => yes === 1)
      .flatMap((high) => all.filter(({ yes }) => yes === 0).map((low) => high.score - low.score));
    return mean(pairs.map((gap) => (gap > 0 ? 1 : gap === 0 ? 0.5 : 0)));
  },
  meanSquaredError: error((difference) => difference ** 2),
  rootMeanSquaredError: (samples, kind) => {
    const squared = error((difference) => difference ** 2)(samples, kind);
    return squared === undefined ? undefined : Math.sqrt(squared);
  },
  meanAbsoluteError: error(Math.abs),
  perplexity: ({ truth, shares }, { outputs, labels }) => {
    if (outputs === 'scores' || outputs === 'numbers') return undefined;
    const entropy = (p: number, yes: number) => -(yes ? Math.log(p) : labels ? Math.log(1 - p) : 0);
    const each = shares.map((row, i) => row.map((p, k) => entropy(p, truth[i]![k]!)));
    return Math.exp(labels ? mean(each.flat()) : mean(each.map(sum)));
  },
};

/** Gives its inputs as they are. */
function asGiven(): tfl.LayersModel {
  const layer = tfl.layers.dense({ inputShape: [WIDTH], units: WIDTH, kernelInitializer: 'identity' });
  return tfl.sequential({ layers: [layer] });
}

const losses = Object.keys(LOSSES) as LossName[];
const metrics = Object.keys(METRICS) as MetricName[];

test.each(someOf(losses, 6))('with %s every metric is right, or refused by name', async (loss) => {
  const kind = KINDS[loss];
  const samples = samplesOf(kind);
  const expected = new Map(metrics.map((name) => [name, JUDGES[name](samples, kind)]));
  const [known, refused] = [true, false].map((is) =>
    metrics.filter((name) => (expected.get(name) !== undefined) === is),
  );
  for (const name of refused!) {
    expect(() => quietTrainer({ model: asGiven(), loss, metrics: [name] }), name).toThrow(
      expect.objectContaining({
        code: 'BAD_METRIC',
        message: expect.stringContaining(`has no meaning with the loss "${loss}"`),
      }),
    );
  }
  const trainer = quietTrainer({ model: asGiven, loss, metrics: known! });
  const found = await trainer.test({ data: { xs: samples.xs, ys: samples.ys }, batchSize: 9 });
  const named = (name: MetricName) => `test/${name === 'topKAccuracy' ? 'top-5-accuracy' : name}`;
  for (const name of known!) {
    expect(found[named(name)], name).toBeCloseTo(expected.get(name)!, name === 'auc' ? 2 : 4);
  }
});
