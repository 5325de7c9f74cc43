import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { expect, test } from 'vitest';
import '@tensorflow/tfjs-backend-cpu';
import { run, TapManager } from '../src/index.js';

test.each(['host', 'device'] as const)(
  '10,000 passes captured on the %s never exceed the byte limit',
  (store) => {
    const model = sequential({
      layers: [
        layers.dense({ units: 7, inputShape: [3] }),
        layers.dense({ units: 5, activation: 'relu' }),
        layers.dense({ units: 2 }),
      ],
    });
    const limit = 20_000;
    const manager = new TapManager(model, { memoryLimitMb: limit / 2 ** 20, maxCapturedStates: 1000 });
    manager.registerCaptureHook('**', { id: 'all', store });
    manager.registerCaptureHook('dense_2', { id: 'one', store, captureInput: false });
    const before = { ...tf.memory() };
    let most = 0;
    for (let pass = 0; pass < 10_000; pass++) {
      // Batches of different sizes, so that states are of different sizes.
      const x = tf.ones([1 + (pass % 5), 3]);
      tf.dispose([x, run(model, x)]);
      most = Math.max(most, manager.capturedBytes);
      if (store === 'device') expect(tf.memory().numBytes - before.numBytes).toBeLessThanOrEqual(limit);
    }
    expect(most).toBeLessThanOrEqual(limit);
    expect(most).toBeGreaterThan(limit * 0.9);
    manager.dispose();
    expect(tf.memory().numTensors).toBe(before.numTensors);
  },
);
