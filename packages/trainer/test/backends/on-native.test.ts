import { itOn, outcomeOn, REFUSED_OPERATIONS, volume } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';

const onNative = itOn('tensorflow');

onNative('tf.multinomial gives the same samples for the same seed', async () => {
  const logits = tf.tensor1d([0.1, 0.5, 0.4, -1]);
  const sample = async (seed: number) => [...(await tf.multinomial(logits, 50, seed).data())];
  const first = await sample(7);
  expect(await sample(7)).toEqual(first);
  expect(await sample(8)).not.toEqual(first);
});

/** What corrections for other backends could spoil, and what TensorFlow needs corrections for. */
const OPERATIONS: typeof REFUSED_OPERATIONS = {
  ...REFUSED_OPERATIONS,
  'average pooling, same': (x) => tf.avgPool(x, 3, 2, 'same'),
  'average pooling of volumes, same': (x) => tf.avgPool3d(volume(x), 3, 1, 'same'),
};

onNative.each(Object.keys(OPERATIONS))('gives what cpu gives, with its gradient: %s', async (name) => {
  const expected = await outcomeOn('cpu', OPERATIONS[name]!);
  const actual = await outcomeOn('tensorflow', OPERATIONS[name]!);
  expect(actual).toMatchObject({ shape: expected.shape, left: 0 });
  const errors = actual.numbers.map((each, i) => Math.abs(each - expected.numbers[i]!));
  expect(Math.max(...errors)).toBeLessThan(1e-5);
});
