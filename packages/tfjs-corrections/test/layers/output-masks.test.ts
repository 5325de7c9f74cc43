import { fixWeights, rows } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { correctLayers } from '../../src/index.js';
import { trainingStep, valuesOf } from './training-step.js';

const { layers } = tfl;

/** The last step of the first sequence, and the first two of the second, do not count. */
const xs = tf.tensor3d(
  [
    [[1], [2], [0]],
    [[0], [0], [3]],
  ],
  [2, 3, 1],
);
const COUNTS = [1, 1, 0, 0, 0, 1];

/** What is taken in each pass, as plain numbers: a list of masks, one for each output. */
function masksOf(model: tfl.LayersModel, training = false): (number[] | undefined)[][] {
  const taken: (number[] | undefined)[][] = [];
  const corrected = correctLayers(model);
  const forward = () => model.apply(xs, { training }) as tf.Tensor;
  tf.tidy(() => {
    corrected(training, forward, (masks) => void taken.push(masks.map((mask) => mask && valuesOf(mask))));
  });
  return taken;
}

function masked(...rest: tfl.layers.Layer[]): tfl.Sequential {
  return fixWeights(tfl.sequential({ layers: [layers.masking({ inputShape: [3, 1] }), ...rest] }));
}

describe('takeMasks gets', () => {
  test.each([false, true])('the mask of the output, once in each pass, with training %s', (training) => {
    expect(masksOf(masked(layers.dense({ units: 2 })), training)).toEqual([[COUNTS]]);
  });

  test('that of a sequence which an RNN returns', () => {
    expect(masksOf(masked(layers.simpleRNN({ units: 2, returnSequences: true })))).toEqual([[COUNTS]]);
  });

  test('those of several outputs in their order, with nothing where there is none', () => {
    const input = tfl.input({ shape: [3, 1] });
    const steps = layers.masking().apply(input) as tfl.SymbolicTensor;
    const last = layers.lstm({ units: 2 }).apply(steps) as tfl.SymbolicTensor;
    const model = fixWeights(tfl.model({ inputs: input, outputs: [last, steps] }));
    expect(masksOf(model)).toEqual([[undefined, COUNTS]]);
  });

  test('nothing where no mask can reach an output', () => {
    expect(masksOf(masked(layers.lstm({ units: 2 })))).toEqual([]);
    expect(masksOf(tfl.sequential({ layers: [layers.dense({ units: 1, inputShape: [3, 1] })] }))).toEqual([]);
  });
});

test('the masks belong to the pass: none is left when it is over', () => {
  const model = masked(layers.dense({ units: 2 }));
  masksOf(model);
  const { numTensors } = tf.memory();
  let taken: tf.Tensor | undefined;
  const forward = () => model.apply(xs, { training: true }) as tf.Tensor;
  tf.tidy(() => {
    correctLayers(model)(true, forward, ([mask]) => {
      taken = mask;
      expect(mask!.isDisposed).toBe(false);
    });
  });
  expect(taken!.isDisposed).toBe(true);
  expect(tf.memory().numTensors).toBe(numTensors);
});

test('taking masks changes nothing that the pass computes', async () => {
  const model = masked(layers.lstm({ units: 2 }));
  const batch = { xs, ys: tf.tensor2d(rows(2, 2, 5)) };
  const before = await trainingStep(model, batch);
  masksOf(model, true);
  expect(await trainingStep(model, batch)).toEqual(before);
});
