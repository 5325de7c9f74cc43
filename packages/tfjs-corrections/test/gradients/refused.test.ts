import { TEST_BACKENDS, useBackend, useStockGradients } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { registerGradients } from '../../src/index.js';

await useBackend();

beforeEach(async () => {
  await useBackend();
  registerGradients();
});
afterAll(useStockGradients);

const signal = tf.tensor2d([[1, 2, 3, 4]]);

test.each([
  [
    'tf.spectral.fft',
    () => tf.grad((x) => tf.abs(tf.spectral.fft(tf.complex(x, x))))(signal),
    'tf.matMul with a matrix of cosines',
  ],
  [
    'complex numbers (tf.complex, tf.spectral, tf.signal.stft)',
    () => tf.grad((x) => tf.abs(tf.spectral.rfft(x)))(signal),
    'two real tensors',
  ],
  [
    'the gradient of tf.localResponseNormalization',
    () =>
      tf.grad((x) => tf.grad((v) => tf.sum(tf.square(tf.localResponseNormalization(v as tf.Tensor4D))))(x))(
        tf.ones([1, 2, 2, 3]),
      ),
    'Use another normalisation',
  ],
  [
    'the transforms of tf.image.transform',
    () =>
      tf.grad((transforms) => tf.image.transform(tf.ones([1, 3, 3, 1]), transforms as tf.Tensor2D))(
        tf.tensor2d([[1, 0, 0, 0, 1, 0, 0, 0]]),
      ),
    'tf.image.cropAndResize',
  ],
  [
    'tf.image.nonMaxSuppressionWithScore with a softNmsSigma',
    () =>
      tf.grad(
        (scores) =>
          tf.image.nonMaxSuppressionWithScore(
            tf.tensor2d([[0, 0, 1, 1]]),
            scores as tf.Tensor1D,
            1,
            0.5,
            0,
            0.5,
          ).selectedScores!,
      )(tf.tensor1d([0.5])),
    'softNmsSigma: 0',
  ],
])('a gradient through %s says so, and what to use instead', (operation, compute, advice) => {
  expect(compute).toThrow(expect.objectContaining({ name: 'TfjsCorrectionsError', code: 'NO_GRADIENT' }));
  expect(compute).toThrow(`goes through ${operation}, which has none`);
  expect(compute).toThrow(advice);
});

test('operations that are refused still compute where no gradient is asked for', () => {
  const magnitudes = tf.abs(tf.spectral.rfft(signal)).dataSync();
  expect(magnitudes[0]).toBeCloseTo(10);
});

/** No tensor of floats goes in, or none comes out; and kernels that only an operation with its own gradient runs. */
const WITHOUT = [
  ...['BroadcastArgs', 'Draw', 'Fill', 'LinSpace', 'RaggedRange', 'Range', 'SparseReshape'],
  ...['StaticRegexReplace', 'StringNGrams', 'StringSplit', 'StringToHashBucketFast'],
  ...['FusedConv2D', 'FusedDepthwiseConv2D', '_FusedMatMul'],
];

test.each(TEST_BACKENDS)('every kernel of %s has a gradient, or a reason why not', async (backend) => {
  await useBackend(backend);
  registerGradients();
  const kernels = tf.getKernelsForBackend(backend).map(({ kernelName }) => kernelName);
  const lacking = kernels.filter((name) => !tf.getGradient(name) && !name.startsWith('Hookline'));
  expect(lacking.filter((name) => !WITHOUT.includes(name)).sort()).toEqual([]);
});
