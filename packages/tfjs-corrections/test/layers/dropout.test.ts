import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { correctLayers } from '../../src/index.js';
import { valuesOf } from './training-step.js';

const { layers } = tfl;

/** What a training pass gives for ones: a kept unit is not zero. */
function pass(model: tfl.LayersModel, xs: tf.Tensor, training = true): string {
  const corrected = correctLayers(model);
  return tf.tidy(() =>
    String(valuesOf(corrected(training, () => model.apply(xs, { training }) as tf.Tensor))),
  );
}

const stock = (model: tfl.LayersModel, xs: tf.Tensor) =>
  tf.tidy(() => String(valuesOf(model.apply(xs, { training: true }) as tf.Tensor)));

/** `Math.random` as a counter, so that a run can be repeated. */
function countingRandom(): void {
  let draws = 0;
  const random = vi.spyOn(Math, 'random').mockImplementation(() => (draws++ * 0.37) % 1);
  onTestFinished(() => random.mockRestore());
}

describe.each([
  ['dropout', () => layers.dropout({ rate: 0.5, seed: 7, inputShape: [40] }), [2, 40]],
  [
    'spatialDropout1d',
    () => layers.spatialDropout1d({ rate: 0.5, seed: 7, inputShape: [3, 40] }),
    [2, 3, 40],
  ],
] as const)('%s with a seed', (_name, make, shape) => {
  const xs = tf.ones([...shape]);
  const build = () => tfl.sequential({ layers: [make()] });

  test('stock tfjs drops the same units in every step', () => {
    const model = build();
    expect(stock(model, xs)).toBe(stock(model, xs));
  });

  test('drops different units in every step', () => {
    const model = build();
    const passes = [pass(model, xs), pass(model, xs), pass(model, xs)];
    expect(new Set(passes).size).toBe(3);
  });

  test('drops the same units again when Math.random does the same', () => {
    const run = () => {
      countingRandom();
      const model = build();
      return [pass(model, xs), pass(model, xs)];
    };
    expect(run()).toEqual(run());
  });

  test('drops nothing in prediction', () => {
    expect(pass(build(), xs, false)).toBe(String(valuesOf(xs)));
  });
});

test('a dropout layer that is used twice in a pass drops different units', () => {
  const dropout = layers.dropout({ rate: 0.5, seed: 7 });
  const input = tfl.input({ shape: [40] });
  const outputs = [dropout.apply(input), dropout.apply(input)] as tfl.SymbolicTensor[];
  const model = tfl.model({ inputs: input, outputs });
  const xs = tf.ones([1, 40]);
  const [first, second] = correctLayers(model)(
    true,
    () => model.apply(xs, { training: true }) as tf.Tensor[],
  );
  expect(valuesOf(first!)).not.toEqual(valuesOf(second!));
});

describe('an RNN made of a cell with dropout', () => {
  const build = () =>
    tfl.sequential({
      layers: [
        layers.rnn({
          cell: layers.simpleRNNCell({
            units: 20,
            dropout: 0.5,
            recurrentDropout: 0.5,
            kernelInitializer: 'ones',
            recurrentInitializer: 'ones',
          }),
          inputShape: [2, 8],
        }),
      ],
    });
  const xs = (batch: number) => tf.mul(tf.ones([batch, 2, 8]), 0.01);

  test('stock tfjs drops the same units in every step, and fails with another batch size', () => {
    const model = build();
    expect(stock(model, xs(2))).toBe(stock(model, xs(2)));
    expect(() => stock(model, xs(3))).toThrow();
  });

  test('drops different units in every step, with any batch size', () => {
    const model = build();
    const passes = Array.from({ length: 4 }, () => pass(model, xs(2)));
    expect(new Set(passes).size).toBeGreaterThan(1);
    expect(pass(model, xs(3)).split(',')).toHaveLength(60);
  });

  test('drops units also after a prediction, and none in it', () => {
    const model = build();
    const predicted = pass(model, xs(2), false);
    expect(pass(model, xs(2), false)).toBe(predicted);
    expect(pass(model, xs(2))).not.toBe(predicted);
  });

  test('drops units also after a stock prediction, which leaves masks that drop nothing', () => {
    const model = build();
    const predicted = String(valuesOf(model.predict(xs(2)) as tf.Tensor));
    expect(stock(model, xs(2))).toBe(predicted);
    expect(pass(model, xs(2))).not.toBe(predicted);
  });

  test('leaves no mask behind', () => {
    const model = build();
    const input = xs(2);
    pass(model, input);
    const before = tf.memory().numTensors;
    for (let step = 0; step < 5; step++) pass(model, input);
    expect(tf.memory().numTensors).toBe(before);
  });
});
