import { errorOf, TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { type LossOption, type MetricsOption, meanMetric, topKAccuracy } from '../../../src/index.js';
import { quietTrainer } from '../../support/quiet-trainer.js';

interface Case {
  loss: LossOption;
  metrics: MetricsOption;
  backend?: string;
}

/** Metrics of outputs as they are given. */
async function measured(outputs: number[][], ys: unknown, { loss, metrics, backend = 'cpu' }: Case) {
  const width = outputs[0]!.length;
  const model = () =>
    tfl.sequential({ layers: [tfl.layers.activation({ activation: 'linear', inputShape: [width] })] });
  // A parameter, as a model must have one, that is not in the way.
  const withBias = () => {
    const built = model();
    built.add(tfl.layers.dense({ units: width, kernelInitializer: 'identity', name: 'same' }));
    return built;
  };
  const trainer = quietTrainer({ model: withBias, loss, metrics, backend, nonFiniteLoss: 'warn' });
  return trainer.test({ data: { xs: outputs, ys } as never, batchSize: 3 });
}

const ownLoss = (targets: tf.Tensor, outputs: tf.Tensor) => tf.squaredDifference(targets, outputs);

describe.each(TEST_BACKENDS)('on %s', (backend) => {
  test('an output that is NaN is never right', async () => {
    const of = {
      backend,
      loss: 'categoricalCrossentropy',
      metrics: ['accuracy', 'recall', topKAccuracy(1), topKAccuracy(9)],
    } as const;
    const found = await measured([[Number.NaN, Number.NaN, Number.NaN]], [[1, 0, 0]], of as never);
    expect(found).toMatchObject({
      'test/accuracy': 0,
      'test/recall': 0,
      'test/top-1-accuracy': 0,
      'test/top-9-accuracy': 0,
    });
    const yesOrNo = { backend, loss: 'binaryCrossentropy', metrics: ['accuracy', 'auc'] } as const;
    const ofYesOrNo = await measured([[Number.NaN], [0.9], [0.2]], [[0], [1], [0]], yesOrNo);
    expect(ofYesOrNo['test/accuracy']).toBeCloseTo(2 / 3, 5);
    expect(ofYesOrNo['test/auc']).toBeNaN();
  });

  test('targets that are probabilities are for their likeliest class, or for what is above one half', async () => {
    const metrics = ['accuracy', 'precision', 'recall', 'f1', 'auc', topKAccuracy(2)];
    const outputs = [
      [0.6, 0.3, 0.1],
      [0.2, 0.5, 0.3],
      [0.1, 0.2, 0.7],
      [0.5, 0.1, 0.4],
    ];
    const soft = [
      [0.7, 0.2, 0.1],
      [0.1, 0.3, 0.6],
      [0.2, 0.2, 0.6],
      [0.1, 0.8, 0.1],
    ];
    const choice = { backend, metrics: metrics as MetricsOption, loss: 'categoricalCrossentropy' } as const;
    const hard = soft.map((row) => row.map((share) => Number(share === Math.max(...row))));
    const { 'test/loss': _loss, ...expected } = await measured(outputs, hard, choice);
    expect(await measured(outputs, soft, choice)).toMatchObject(expected);
    expect(expected).toMatchObject({ 'test/accuracy': 0.5, 'test/top-2-accuracy': 0.75 });
    const yesOrNo = {
      ...choice,
      metrics: metrics.slice(0, -1) as MetricsOption,
      loss: 'binaryCrossentropy',
    } as const;
    const halves = soft.map((row) => row.map((share) => Number(share > 0.5)));
    const { 'test/loss': _other, ...expectedOfLabels } = await measured(outputs, halves, yesOrNo);
    expect(await measured(outputs, soft, yesOrNo)).toMatchObject(expectedOfLabels);
  });

  test('auc asks for the order of scores only, however large they are', async () => {
    const yes = [1, 0, 1, 0, 1, 0].map((each) => [each]);
    for (const scale of [0.01, 1, 30, 1000]) {
      const scores = [9, 2, 7, 8, 1.5, -6].map((score) => [(score - 4) * scale]);
      // Six of the nine pairs of a yes and a no are in order.
      const found = await measured(scores, yes, { backend, loss: ownLoss, metrics: ['auc'] });
      expect(found['test/auc'], `scale ${scale}`).toBeCloseTo(6 / 9, 6);
    }
    const rows = [
      [30, 20, -40],
      [5, 6, 50],
    ];
    const choice = [
      [1, 0, 0],
      [0, 0, 1],
    ];
    const hinge = await measured(rows, choice, { backend, loss: 'categoricalHinge', metrics: ['auc'] });
    expect(hinge['test/auc']).toBe(1);
  });

  test('scores of minus infinity, as of choices that are not allowed, are in nobody’s way', async () => {
    const metrics = [topKAccuracy(1), topKAccuracy(2), 'accuracy'] as const;
    const outputs = [
      [1, -Infinity, 2],
      [3, 1, -Infinity],
    ];
    const rows = [
      [1, 0, 0],
      [1, 0, 0],
    ];
    const found = await measuredDirectly(backend, outputs, rows, metrics);
    expect(found).toEqual([0.5, 1, 0.5]);
  });
});

/** Without a model, which would make NaN of an infinite input. */
async function measuredDirectly(
  backend: string,
  outputs: number[][],
  ys: number[][],
  metrics: readonly ('accuracy' | ReturnType<typeof topKAccuracy>)[],
): Promise<number[]> {
  const module = {
    parameters: () => ({ unused: tf.variable(tf.scalar(0)) }),
    forward: () => tf.tensor2d(outputs),
    loss: () => tf.scalar(0),
  };
  const trainer = quietTrainer({ model: module as never, metrics: [...metrics], backend });
  const found = await trainer.test({ data: { xs: outputs.map(() => [0]), ys } });
  return metrics.map((each) => found[`test/${typeof each === 'string' ? each : each.name}`]!);
}

describe('what has no meaning is refused', () => {
  test('for one of several outputs, by name, before training', () => {
    const input = tfl.input({ shape: [2] });
    const outputs = ['tags', 'kind'].map(
      (name) => tfl.layers.dense({ units: 3, name }).apply(input) as tfl.SymbolicTensor,
    );
    const make = (metrics: MetricsOption, loss: LossOption) => () =>
      quietTrainer({ model: tfl.model({ inputs: input, outputs }), loss, metrics });
    const byName = { tags: 'sigmoidCrossentropy', kind: 'softmaxCrossentropy' } as const;
    expect(make({ kind: ['topKAccuracy'] }, byName)).not.toThrow();
    expect(make({ tags: ['topKAccuracy'] }, byName)).toThrow(/top-5-accuracy.*"sigmoidCrossentropy"/);
    expect(make(['topKAccuracy'], byName)).toThrow(/top-5-accuracy/);
  });

  test('where losses are a list, as soon as the outputs are known', async () => {
    const input = tfl.input({ shape: [2] });
    const outputs = ['tags', 'kind'].map(
      (name) => tfl.layers.dense({ units: 3, name }).apply(input) as tfl.SymbolicTensor,
    );
    const trainer = quietTrainer({
      model: tfl.model({ inputs: input, outputs }),
      loss: ['hinge', 'softmaxCrossentropy'],
      metrics: { tags: ['perplexity'] },
    });
    const error = await errorOf(trainer.fit({ train: { xs: [[1, 2]], ys: [] } as never, epochs: 1 }));
    expect(error).toMatchObject({ code: 'BAD_METRIC', message: expect.stringContaining('"hinge"') });
  });

  test('perplexity of outputs that a loss of your own leaves below 0 or above 1', async () => {
    const of = { loss: ownLoss, metrics: ['perplexity'] } as const;
    const choice = [
      [1, 0],
      [0, 1],
    ];
    const error = await errorOf(
      measured(
        [
          [3, -1],
          [0.5, 0.5],
        ],
        choice,
        of,
      ),
    );
    expect(error).toMatchObject({ code: 'BAD_METRIC', message: expect.stringContaining('perplexity') });
    const found = await measured(
      [
        [0.5, 0.5],
        [0.5, 0.5],
      ],
      choice,
      of,
    );
    expect(found['test/perplexity']).toBeCloseTo(2, 5);
  });

  test('topKAccuracy of one number', async () => {
    const error = await errorOf(measured([[0.3]], [[1]], { loss: ownLoss, metrics: ['topKAccuracy'] }));
    expect(error).toMatchObject({ code: 'BAD_METRIC', message: expect.stringContaining('each class') });
  });

  test('probabilities of scores, in a metric of your own', async () => {
    const own = meanMetric('own', (_targets, _outputs, { probabilities }) => probabilities());
    const error = await errorOf(measured([[0.3]], [[1]], { loss: 'hinge', metrics: [own] }));
    expect(error).toMatchObject({ code: 'BAD_METRIC', message: expect.stringContaining('scores') });
  });

  test.each(['hinge', 'squaredHinge'] as const)(
    'a target 0 of %s, from which nothing is learnt',
    async (loss) => {
      const error = await errorOf(measured([[0.3], [2]], [[1], [0]], { loss, metrics: [] }));
      expect(error).toMatchObject({ code: 'BAD_DATA', message: expect.stringContaining('2 * y - 1') });
    },
  );
});
