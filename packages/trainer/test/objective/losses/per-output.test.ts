import { fixWeights, numbers, recorder, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import type { MetricsOption, TrainerOptions } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

/** 3 inputs; outputs `size` [1] and `kind`, probabilities of 3 classes. */
function twoHeads(): tfl.LayersModel {
  const input = tfl.input({ shape: [3] });
  const outputs = [
    tfl.layers.dense({ units: 1, name: 'size' }).apply(input),
    tfl.layers.dense({ units: 3, name: 'kind', activation: 'softmax' }).apply(input),
  ] as tfl.SymbolicTensor[];
  return fixWeights(tfl.model({ inputs: input, outputs }));
}

const COUNT = 9;
const xs = rows(COUNT, 3, 5);
const size = rows(COUNT, 1, 6);
const kind = numbers(COUNT, 8).map((value) => Math.floor((value + 1) * 1.5));
const weights = numbers(COUNT, 9).map((value) => 1 + value);
const data = { xs, ys: { size, kind } };

/** The model's outputs as plain numbers, which all expectations are computed from. */
const [sizes, kinds] = tf.tidy(() =>
  (twoHeads().predict(tf.tensor2d(xs)) as tf.Tensor2D[]).map((output) => output.arraySync()),
) as [number[][], number[][]];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const squares = sizes.map(([value], i) => (value! - size[i]![0]!) ** 2);
const distances = sizes.map(([value], i) => Math.abs(value! - size[i]![0]!));
const entropies = kinds.map((row, i) => -Math.log(row[kind[i]!]!));
const hits = kinds.map((row, i) => Number(row.indexOf(Math.max(...row)) === kind[i]));
const part = (values: readonly number[], from: number, to: number) => mean(values.slice(from, to));

const LOSSES = { size: 'meanSquaredError', kind: 'sparseCategoricalCrossentropy' } as const;

function trainer(options: Partial<TrainerOptions> = {}) {
  return quietTrainer({
    model: twoHeads(),
    loss: LOSSES,
    metrics: { kind: ['accuracy'], size: ['meanAbsoluteError', 'rootMeanSquaredError'] },
    optimizer: { name: 'sgd', lr: 0 },
    ...options,
  });
}

function expectNumbers(given: Readonly<Record<string, number>>, expected: Record<string, number>): void {
  expect(Object.keys(given).sort()).toEqual(Object.keys(expected).sort());
  for (const [name, value] of Object.entries(expected)) expect(given[name], name).toBeCloseTo(value, 5);
}

describe('a model with several outputs', () => {
  test('has the loss and the metrics of each by name, over unequal batches, in training and validation', async () => {
    const { history } = await trainer().fit({ train: data, validation: data, epochs: 1, batchSize: 4 });
    const expected = {
      loss: mean(squares) + mean(entropies),
      'size/loss': mean(squares),
      'kind/loss': mean(entropies),
      'size/meanAbsoluteError': mean(distances),
      'size/rootMeanSquaredError': Math.sqrt(mean(squares)),
      'kind/accuracy': mean(hits),
    };
    const under = (prefix: string) =>
      Object.fromEntries(Object.entries(expected).map(([name, value]) => [`${prefix}/${name}`, value]));
    expectNumbers(history[0]!, { ...under('train'), ...under('val') });
    expect(mean(hits)).toBeGreaterThan(0);
    expect(mean(hits)).toBeLessThan(1);
  });

  test('has them for each validation loader too', async () => {
    const cut = (from: number, to: number) => ({
      xs: xs.slice(from, to),
      ys: { size: size.slice(from, to), kind: kind.slice(from, to) },
    });
    const metrics = await trainer({ metrics: { kind: ['accuracy'] } }).test({
      data: { clean: cut(0, 7), noisy: cut(7, 9) },
      batchSize: 4,
    });
    const of = (prefix: string, from: number, to: number) => ({
      [`${prefix}/loss`]: part(squares, from, to) + part(entropies, from, to),
      [`${prefix}/size/loss`]: part(squares, from, to),
      [`${prefix}/kind/loss`]: part(entropies, from, to),
      [`${prefix}/kind/accuracy`]: part(hits, from, to),
    });
    expectNumbers(metrics, { ...of('test', 0, 9), ...of('test/clean', 0, 7), ...of('test/noisy', 7, 9) });
  });

  test('a list of metrics is for every output', async () => {
    const square = (targets: tf.Tensor, outputs: tf.Tensor) =>
      tf.square(tf.sub(tf.sum(targets, -1), tf.sum(outputs, -1)));
    const ys = { size, kind: kind.map((each) => [0, 1, 2].map((label) => Number(label === each))) };
    const metrics = await trainer({ loss: 'meanSquaredError', metrics: [square] }).test({ data: { xs, ys } });
    expect(metrics['test/size/square']).toBeCloseTo(mean(squares), 5);
    expect(metrics['test/kind/square']).toBeCloseTo(0, 5); // probabilities add up to 1
    expect(metrics).not.toHaveProperty('test/square');
  });

  test('lossWeights weigh the total; the losses of the outputs are told without', async () => {
    for (const lossWeights of [{ kind: 0.25 }, [1, 0.25]]) {
      const metrics = await trainer({ lossWeights, metrics: [] }).test({ data, batchSize: 4 });
      expectNumbers(metrics, {
        'test/loss': mean(squares) + 0.25 * mean(entropies),
        'test/size/loss': mean(squares),
        'test/kind/loss': mean(entropies),
      });
    }
  });

  test('sample weights weigh every loss, and no metric', async () => {
    const metrics = await trainer().test({ data: { ...data, weights }, batchSize: 4 });
    const weighted = (values: readonly number[]) => mean(values.map((value, i) => value * weights[i]!));
    expectNumbers(metrics, {
      'test/loss': weighted(squares) + weighted(entropies),
      'test/size/loss': weighted(squares),
      'test/kind/loss': weighted(entropies),
      'test/size/meanAbsoluteError': mean(distances),
      'test/size/rootMeanSquaredError': Math.sqrt(mean(squares)),
      'test/kind/accuracy': mean(hits),
    });
  });

  test('class weights and label smoothing are for the output that they name', async () => {
    const options = { metrics: [], classWeights: { kind: { 0: 3, 2: 0.5 } }, labelSmoothing: { kind: 0.3 } };
    const metrics = await trainer(options).test({ data: { ...data, weights }, batchSize: 4 });
    const ofClass = [3, 1, 0.5];
    const smooth = kinds.map((row, i) => {
      const each = row.map((p, label) => (label === kind[i] ? 0.8 : 0.1) * -Math.log(p));
      return weights[i]! * ofClass[kind[i]!]! * each.reduce((sum, value) => sum + value, 0);
    });
    const plain = mean(squares.map((value, i) => value * weights[i]!));
    expectNumbers(metrics, {
      'test/loss': plain + mean(smooth),
      'test/size/loss': plain,
      'test/kind/loss': mean(smooth),
    });
  });

  test('every batch that a hook looks at has its own', async () => {
    const seen = recorder('recorder', ['onTrainBatchEnd']);
    await trainer({ hooks: [seen] }).fit({ train: data, epochs: 1, batchSize: 4, shuffle: false });
    const bounds = [0, 4, 8, 9];
    seen.events.forEach(({ payload }, i) => {
      const [from, to] = [bounds[i]!, bounds[i + 1]!];
      expect(payload.metrics['train/size/loss']).toBeCloseTo(part(squares, from, to), 5);
      expect(payload.metrics['train/kind/accuracy']).toBeCloseTo(part(hits, from, to), 5);
    });
    expect(seen.events).toHaveLength(3);
  });

  test('nothing stays behind', async () => {
    const busy = trainer();
    await busy.fit({ train: data, epochs: 1, batchSize: 4 });
    const before = tf.memory().numTensors;
    await busy.fit({ train: data, validation: { a: data, b: data }, epochs: 2, batchSize: 4 });
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('the names of outputs', () => {
  test('are the same for the same code, where layers have none of their own', async () => {
    const unnamed = () => {
      const input = tfl.input({ shape: [3] });
      const outputs = [1, 1].map((units) => tfl.layers.dense({ units }).apply(input));
      return tfl.model({ inputs: input, outputs: outputs as tfl.SymbolicTensor[] });
    };
    const flat = Float32Array.from(size.flat());
    const names = async () => {
      const options = { model: unnamed(), loss: 'huber', metrics: [] } as const;
      return Object.keys(await trainer(options).test({ data: { xs, ys: [flat, flat] } }));
    };
    const first = await names();
    expect(first).toHaveLength(3);
    expect(await names()).toEqual(first);
  });

  test('of a module are its keys, or numbers', async () => {
    const slope = tf.variable(tf.scalar(2));
    const module = (forward: (doubled: tf.Tensor) => object) => ({
      parameters: () => ({ slope }),
      forward: (inputs: unknown) => forward(tf.mul(inputs as tf.Tensor, slope)) as never,
    });
    const ys = { near: xs, far: xs };
    const byName = module((doubled) => ({ near: doubled, far: tf.mul(doubled, 2) }));
    const squared = mean(xs.flat().map((value) => value ** 2));
    const options = { loss: 'meanSquaredError', metrics: { far: ['meanAbsoluteError'] } } as const;
    expectNumbers(await trainer({ model: byName, ...options }).test({ data: { xs, ys } }), {
      'test/loss': 10 * squared,
      'test/near/loss': squared,
      'test/far/loss': 9 * squared,
      'test/far/meanAbsoluteError': 3 * mean(xs.flat().map(Math.abs)),
    });
    const inOrder = module((doubled) => [doubled, tf.mul(doubled, 2)]);
    const flat = Float32Array.from(xs.flat());
    const listed = await trainer({ model: inOrder, loss: 'meanSquaredError', metrics: [] }).test({
      data: { xs, ys: [flat, flat] },
    });
    expect(listed['test/1/loss']).toBeCloseTo(9 * squared, 5);
  });

  test('are not needed where there is one, and may be given', async () => {
    const single = () =>
      fixWeights(tfl.sequential({ layers: [tfl.layers.dense({ units: 1, inputShape: [3], name: 'only' })] }));
    const numbersOf = (options: Partial<TrainerOptions>, ys: object = size) =>
      trainer({ model: single(), ...options }).test({ data: { xs, ys } as never });
    const plain = await numbersOf({ loss: 'huber', metrics: ['meanAbsoluteError'] });
    expect(Object.keys(plain)).toEqual(['test/loss', 'test/meanAbsoluteError']);
    const metrics: MetricsOption = { only: ['meanAbsoluteError'] };
    expect(await numbersOf({ loss: { only: 'huber' }, metrics }, { only: size })).toEqual(plain);
    expect(await numbersOf({ loss: ['huber'], metrics }, { label: size })).toEqual(plain);
  });
});
