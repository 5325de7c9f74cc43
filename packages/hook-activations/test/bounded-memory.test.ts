import type { Hook } from '@hookline/hook-api';
import { TEST_BACKENDS } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { type ActivationsOptions, activations, run } from '../src/index.js';
import { managed, X } from './managed.js';
import { mlp } from './models.js';
import { onDevice } from './pretend-device.js';
import { train } from './training.js';

/** The most that the captured states took at the end of any step. */
function watchedBytes(hook: ReturnType<typeof activations>): Hook & { most: () => number } {
  let most = 0;
  return {
    name: 'bytes',
    most: () => most,
    onStepEnd: () => {
      most = Math.max(most, hook.taps.capturedBytes);
    },
  };
}

describe('in training', () => {
  test.each(['host', 'device', 'statistics'] as const)(
    'states stored as %s stay within the limit at every step',
    async (store) => {
      // All layers of a batch of 4 take 4 * (4 + 3 + 1) * 4 = 128 bytes, their inputs 4 * (3 + 4 + 3) * 4 = 160.
      const limit = 300;
      const hook = activations({
        ...{ every: 1, monitor: false, capture: '**', captureInput: true },
        ...{ store, memoryLimitMb: limit / 2 ** 20 },
      });
      const { most, ...watcher } = watchedBytes(hook);
      await train([hook, watcher]);
      expect(most()).toBeLessThanOrEqual(limit);
      expect(most()).toBeGreaterThan(limit / 2);
      // The newest are those that are left.
      expect(hook.taps.getCapturedStates('capture').at(-1)).toMatchObject({ step: 5, path: 'out' });
    },
  );

  test('a state that can never fit disables the hook with its size, and training continues', async () => {
    const hook = activations({ every: 1, monitor: false, capture: 'first', memoryLimitMb: 0.00001 });
    const { result, said } = await train([hook]);
    expect(result.status).toBe('completed');
    const errors = said.filter(({ level }) => level === 'error').map(({ message }) => message);
    expect(errors[0]).toContain('One state of "first" for capture hook "capture" takes 0.1 kB');
    expect(errors.at(-1)).toContain('"activations" is disabled');
  });

  test('records of monitors and findings do not pile up', async () => {
    const options: ActivationsOptions = { every: 1, maxCapturedStates: 2, debug: '**' };
    const hook = activations({ ...options, conditions: { custom: () => true } });
    await train([hook]);
    expect(hook.taps.getMetrics('monitor')).toHaveLength(2 * 3);
    expect(hook.taps.getFindings('debug')).toHaveLength(2);
    expect(hook.taps.getFindings('debug').map(({ step, path }) => `${step} ${path}`)).toEqual([
      '5 second',
      '5 out',
    ]);
  });

  test('cleanupInterval counts the passes that are looked at', async () => {
    const hook = activations({ every: 1, monitor: false, capture: 'out', cleanupInterval: 2 });
    await train([hook]);
    expect(hook.taps.getCapturedStates('capture').map(({ step }) => step)).toEqual([3, 4, 5]);
  });

  test.each(TEST_BACKENDS)('on %s a fit with every kind of hook keeps no tensor', async (backend) => {
    const hook = activations({
      ...{ every: 1, capture: '**', captureInput: true, store: 'host', debug: '**' },
      metrics: ['mean', 'dead', 'histogram', 'gradient', 'time'],
      enableIntervention: true,
      interventions: [['first', ({ output }) => tf.mul(output, 0.5)]],
    });
    const data = { train: { xs: tf.ones([4, 3]), ys: tf.ones([4, 1]) }, epochs: 3 };
    const { trainer } = await train([hook], 'layers', { backend });
    await trainer.fit(data);
    const { numTensors } = tf.memory();
    await trainer.fit(data);
    await trainer.fit(data);
    expect(tf.memory().numTensors).toBe(numTensors);
    await tf.setBackend('cpu');
  });

  test('a run that fails in the middle of a pass leaves no tensor and no tap behind', async () => {
    let isBroken = false;
    const hook = activations({
      ...{ every: 1, capture: '**', store: 'device', debug: 'second' },
      conditions: { custom: () => isBroken },
      action: 'throw',
    });
    const model = mlp();
    const { trainer } = await train([hook], 'layers', { model: () => model });
    const fit = () => trainer.fit({ train: { xs: tf.ones([4, 3]), ys: tf.ones([4, 1]) }, epochs: 1 });
    await fit();
    hook.taps.clearCapturedStates();
    const { numTensors } = tf.memory();
    isBroken = true;
    await expect(fit()).rejects.toMatchObject({ code: 'DEBUG_CONDITION' });
    hook.taps.clearCapturedStates();
    expect(tf.memory().numTensors).toBe(numTensors + 2); // the data
    expect(model.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
  });
});

describe('on a device', () => {
  test('a state that is dropped before it is read is not read', async () => {
    await onDevice(async (reads) => {
      const { manager, someModel } = managed({ maxCapturedStates: 1 });
      manager.registerCaptureHook('out', { id: 'a', captureInput: false });
      const before = [reads(), tf.memory().numTensors];
      for (let i = 0; i < 5; i++) tf.dispose(run(someModel, X));
      await manager.settle();
      expect(reads()).toBe(before[0]! + 1);
      expect(tf.memory().numTensors).toBe(before[1]);
    });
  });

  test('states that are cleared while they are being read stay cleared', async () => {
    await onDevice(async () => {
      const { manager, someModel } = managed();
      manager.registerCaptureHook('out', { id: 'a' });
      const before = tf.memory().numTensors;
      tf.dispose(run(someModel, X));
      const settled = manager.settle();
      manager.clearCapturedStates();
      await settled;
      expect(manager.getCapturedStates('a')).toEqual([]);
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  test('with store: device each look reads again, and the tensors stay', async () => {
    await onDevice((reads) => {
      const { manager, someModel } = managed();
      manager.registerCaptureHook('out', { id: 'a', store: 'device', captureInput: false });
      tf.dispose(run(someModel, X));
      const before = reads();
      const [first] = manager.getCapturedStates('a');
      const [second] = manager.getCapturedStates('a');
      expect(reads()).toBe(before + 2);
      expect(second).toEqual(first);
      expect(manager.getCapturedTensors('a')[0]!.outputs[0]!.isDisposed).toBe(false);
    });
  });
});
