import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, GRADIENTS } from './drive.js';

const [before, after] = [GRADIENTS.slice(0, 10), GRADIENTS.slice(10, 20)];

describe.each(['cpu', 'wasm'] as const)('a state that is held on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('is what saveState gave at that moment, however far training went since', async () => {
    const { optimizer, step } = drive('adam');
    step(before);
    const [held, saved] = [optimizer.hold!(), await optimizer.saveState()];
    step(after);
    expect(await held.saveState()).toEqual(saved);
    expect(await optimizer.saveState()).not.toEqual(saved);
    held.release();
  });

  test('can be put back, more than once: each time the steps after it are the same to the bit', async () => {
    const { optimizer, step } = drive({ name: 'rmsprop', momentum: 0.9 });
    step(before);
    const held = optimizer.hold!();
    step(after);
    const reached = await optimizer.saveState();
    for (let round = 0; round < 2; round++) {
      held.putBack();
      step(after);
      expect(await optimizer.saveState()).toEqual(reached);
    }
    held.release();
  });

  test('of an optimizer that has not moved yet puts it back to the start', async () => {
    const { optimizer, step } = drive('adam');
    const held = optimizer.hold!();
    step(before);
    held.putBack();
    expect(Object.keys(await optimizer.saveState())).toEqual(['step']);
    held.release();
  });

  test('leaves no tensor behind once it is released', () => {
    const { optimizer, step } = drive('adam');
    step(before);
    const { numTensors } = tf.memory();
    const held = optimizer.hold!();
    expect(tf.memory().numTensors).toBe(numTensors + 2);
    step(after);
    held.putBack();
    held.release();
    expect(tf.memory().numTensors).toBe(numTensors);
    step(after);
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});
