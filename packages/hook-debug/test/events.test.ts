import { expect, test } from 'vitest';
import { debug } from '../src/index.js';

test('it only observes: no event of it can change the batch, the activations or the gradients', () => {
  const hook = debug({ activations: true, shapes: 'every' });
  expect(Object.keys(hook).filter((name) => name.startsWith('transform'))).toEqual([]);
});

test('what is switched off is not listened to', () => {
  expect(debug()).not.toHaveProperty('onForward');
  expect(debug()).not.toHaveProperty('onTrainBatchReady');
});
