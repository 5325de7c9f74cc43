import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';

const EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

test('importing register makes wasm the backend, and leaves uncaught errors to the program', async () => {
  const before = EVENTS.map((event) => process.rawListeners(event));
  await import('../src/register.js');
  expect(tf.getBackend()).toBe('wasm');
  // The loader of the module adds two that throw each error again, with exit code 7 and 38 kB of its source.
  expect(EVENTS.map((event) => process.rawListeners(event))).toEqual(before);
});
