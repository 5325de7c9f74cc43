// Every metric of each case, plain and weighted, as trainer.validate gives it: on cpu and wasm by turns.
import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import {
  auc,
  type Metric,
  type MetricName,
  type MetricOption,
  meanMetric,
  Trainer,
  topKAccuracy,
  weighted,
} from '../packages/trainer/src/index.js';
import { BATCHES, METRIC_CASES, type MetricCase, SCORES, SHARES } from './sklearn-cases.js';

const SAMPLES = BATCHES.reduce((sum, size) => sum + size, 0);
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const random = (() => {
  let state = 11;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
})();

const fineAuc: Metric = { ...auc({ bins: 1024 }), name: 'fine-auc' };
/** A metric of a user's own, of the probabilities that the trainer knows. */
const brier = meanMetric('brier', (targets, _, { probabilities }) =>
  tf.sum(tf.squaredDifference(targets, probabilities()), -1),
);

/** The kinds of outputs that each metric has a meaning for. A metric without a line here is an error of types. */
const KINDS: Record<MetricName, readonly MetricCase['kind'][]> = {
  accuracy: ['binary', 'labels', 'classes'],
  precision: ['binary', 'labels', 'classes'],
  recall: ['binary', 'labels', 'classes'],
  f1: ['binary', 'labels', 'classes'],
  auc: ['binary', 'labels', 'classes'],
  topKAccuracy: ['classes'],
  perplexity: ['binary', 'labels', 'classes'],
  meanSquaredError: ['binary', 'labels', 'classes', 'numbers'],
  rootMeanSquaredError: ['binary', 'labels', 'classes', 'numbers'],
  meanAbsoluteError: ['binary', 'labels', 'classes', 'numbers'],
};

const isSparse = ({ loss }: MetricCase) => loss.startsWith('sparse');
/** Scores that have an order, but cannot be made probabilities. */
const isScores = ({ loss }: MetricCase) => loss.toLowerCase().endsWith('hinge');

function metricsOf(each: MetricCase): MetricOption[] {
  const names = (Object.keys(KINDS) as MetricName[])
    .filter((name) => KINDS[name].includes(each.kind))
    // The trainer refuses these pairs.
    .filter((name) => !(name === 'perplexity' && isScores(each)))
    .filter((name) => !(name.endsWith('Error') && isSparse(each)));
  const more = [
    ...(each.kind === 'binary' ? [fineAuc] : []),
    ...(each.kind === 'classes' ? [topKAccuracy(1), topKAccuracy(2)] : []),
    ...(each.kind === 'numbers' || isScores(each) || isSparse(each) ? [] : [brier]),
  ];
  return [...names, ...more, ...[...names, ...more].map(weighted)];
}

/** Gives its inputs as they are for logits and scores, and else their probabilities. */
function model({ loss, kind, width, steps }: MetricCase) {
  const isProbability = loss.endsWith('ategoricalCrossentropy') || loss === 'binaryCrossentropy';
  const activation = kind === 'classes' ? 'softmax' : 'sigmoid';
  return sequential({
    layers: [
      layers.dense({
        inputShape: steps === undefined ? [width] : [steps, width],
        units: width,
        kernelInitializer: 'identity',
        activation: isProbability ? activation : 'linear',
      }),
    ],
  });
}

/** The scores of a sample or a step, and its target. */
function example(each: MetricCase): { scores: number[]; target: number | number[] } {
  const share = SHARES[each.scores];
  const score = (isRight: boolean) => Math.fround(SCORES[each.scores](isRight, random));
  const every = Array.from({ length: each.width }, (_, index) => index);
  if (each.kind === 'numbers') {
    return { scores: every.map(() => score(false)), target: every.map(() => score(true)) };
  }
  if (each.kind !== 'classes') {
    // The last of several labels is never true.
    const truth = every.map((index) => random() < share && index < 3);
    const no = isScores(each) ? -1 : 0;
    return { scores: truth.map(score), target: truth.map((isTrue) => (isTrue ? 1 : no)) };
  }
  // Each class is rarer than the one before it. Of many, the last never occurs, and is never the likeliest.
  const known = each.width > 3 ? each.width - 1 : each.width;
  let right = 0;
  while (right < known - 1 && random() < Math.max(share, 0.3)) right++;
  const scores = every.map((index) => (index < known ? score(index === right) : -20));
  return { scores, target: isSparse(each) ? right : every.map((index) => Number(index === right)) };
}

/** Without weights on the first backend, with them on the second. */
async function judged(each: MetricCase, backends: readonly ['cpu' | 'wasm', 'cpu' | 'wasm']) {
  const samples = Array.from({ length: SAMPLES }, () =>
    Array.from({ length: each.steps ?? 1 }, () => ({ ...example(each), weight: weight() })),
  );
  const column = <Value>(of: (step: (typeof samples)[number][number]) => Value) =>
    samples.map((steps) => (each.steps === undefined ? of(steps[0]!) : steps.map(of)));
  const xs = column(({ scores }) => scores);
  const ys = column(({ target }) => (each.column ? [target] : target));
  const weights = column((step) => step.weight);
  const trainerOn = (backend: 'cpu' | 'wasm') =>
    new Trainer({
      model: () => model(each),
      loss: each.loss,
      metrics: metricsOf(each),
      ...{ backend, seed: 3, logger: silent, discover: false, runsDir: false },
    });
  const [first, second] = backends;
  const results = {
    plain: await trainerOn(first).validate({ data: batches({ xs, ys }) }),
    weighted: await trainerOn(second).validate({ data: batches({ xs, ys, weights }) }),
  };
  return { ...each, backends, xs, ys, weights, results };
}

/** Some samples count for nothing. */
function weight(): number {
  return random() < 0.1 ? 0 : Math.fround(2 * random());
}

function batches<Columns extends { xs: unknown[]; ys: unknown[]; weights?: unknown[] }>(columns: Columns) {
  let start = 0;
  return BATCHES.map((size) => {
    const from = start;
    start += size;
    return Object.fromEntries(
      Object.entries(columns).map(([name, values]) => [
        name,
        tf.tensor(values.slice(from, start) as number[]),
      ]),
    ) as { xs: tf.Tensor; ys: tf.Tensor };
  });
}

const results = [];
for (const [index, each] of METRIC_CASES.entries()) {
  results.push(await judged(each, index % 2 === 0 ? ['cpu', 'wasm'] : ['wasm', 'cpu']));
}
console.log(JSON.stringify(results));
