import type { Hook } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { lrMonitor } from '../src/index.js';
import { recordedRun } from './recorded-run.js';

test('it reads nothing from the device', async () => {
  const readsOf = async (...hooks: Hook[]) => {
    const run = recordedRun(hooks);
    run.trainer.removeHook('recorder');
    await run.trainer.ready();
    const backend = tf.backend();
    const { read, readSync } = backend;
    let reads = 0;
    backend.read = (id) => {
      reads++;
      return read.call(backend, id);
    };
    backend.readSync = (id) => {
      reads++;
      return readSync.call(backend, id);
    };
    try {
      await run.fit({ steps: 120 });
    } finally {
      Object.assign(backend, { read, readSync });
    }
    return reads;
  };
  const without = await readsOf();
  expect(await readsOf(lrMonitor())).toBe(without);
  expect(await readsOf(lrMonitor({ frequency: 'epoch' }))).toBe(without);
  expect(await readsOf({ name: 'reader', onStepEnd: () => {} })).toBeGreaterThan(without);
});
