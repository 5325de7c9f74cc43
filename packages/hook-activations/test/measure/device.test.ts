import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorOf, farBackend, tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { run, TapManager } from '../../src/index.js';
import { managed, OF_VALUES, SEQUENCE, values, X } from '../managed.js';
import { mixed } from '../models.js';
import { onDevice } from '../pretend-device.js';

describe('on a device of its own', () => {
  test('all statistics of a pass are read in one transfer, and are the same', async () => {
    const metrics = [...OF_VALUES, 'gradient'] as const;
    const train = (someModel: ReturnType<typeof mixed>): void =>
      tf.dispose(
        tf.variableGrads(() => tf.sum(someModel.apply(SEQUENCE, { training: true }) as tf.Tensor)) as never,
      );
    const measure = (someModel: ReturnType<typeof mixed>): TapManager => {
      const manager = new TapManager(someModel);
      manager.registerMonitoringHook('**', { id: 'm', metrics });
      manager.registerDebugHook('**', { id: 'd', conditions: { nan: true, range: [-0.5, 0.5] } });
      manager.registerCaptureHook('out', { id: 's', store: 'statistics' });
      train(someModel);
      return manager;
    };
    const expected = measure(mixed());
    await onDevice(async (reads) => {
      const someModel = mixed();
      train(someModel);
      const ofModel = reads(); // some layers read a shape or an index
      const before = tf.memory().numTensors;
      const manager = measure(someModel);
      expect(reads()).toBe(ofModel * 2);
      await manager.settle();
      expect(reads()).toBe(ofModel * 2 + 1);
      const strip = ({ pass: _, ...rest }: { pass: number }) => rest;
      const close = (value: unknown): unknown => {
        if (typeof value === 'number') return expect.closeTo(value, 5);
        if (Array.isArray(value)) return value.map(close);
        if (typeof value !== 'object' || value === null) return value;
        return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, close(each)]));
      };
      expect(manager.getMetrics('m').map(strip)).toEqual(close(expected.getMetrics('m').map(strip)));
      expect(manager.getFindings('d').map(({ path, condition }) => path + condition)).toEqual(
        expected.getFindings('d').map(({ path, condition }) => path + condition),
      );
      expect(manager.getCapturedStates('s').map(strip)).toEqual(
        close(expected.getCapturedStates('s').map(strip)),
      );
      expect(reads()).toBe(ofModel * 2 + 1);
      manager.dispose();
      expect(tf.memory().numTensors).toBe(before);
    });
    expected.dispose();
  });

  test('states for the host wait for settle, or for whoever asks first', async () => {
    await onDevice(async (reads) => {
      const { manager, someModel } = managed();
      manager.registerCaptureHook('first', { id: 'a' });
      const before = [reads(), tf.memory().numTensors];
      const output = run(someModel, X);
      expect(reads()).toBe(before[0]);
      await manager.settle();
      expect(reads()).toBe(before[0]! + 2);
      output.dispose();
      expect(tf.memory().numTensors).toBe(before[1]);
      expect(values(manager.getCapturedStates('a')[0]!)).toHaveLength(8);
      expect(reads()).toBe(before[0]! + 2);
    });
  });

  test('statistics that nobody reads do not fill the memory', async () => {
    await onDevice(() => {
      const { manager, someModel } = managed();
      manager.registerMonitoringHook('**', { id: 'm', metrics: ['mean'] });
      const before = tf.memory().numTensors;
      for (let i = 0; i < 350; i++) tf.dispose(run(someModel, X));
      expect(tf.memory().numTensors - before).toBe(350 * 3 - 1024);
      manager.clearRecords();
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  test('a condition that ends the pass is judged at once', async () => {
    await onDevice(() => {
      const { manager, someModel } = managed();
      manager.registerDebugHook('first', { conditions: { range: [-0.1, 0.1] }, action: 'throw' });
      expect(() => run(someModel, X)).toThrow('outside of -0.1 to 0.1');
    });
  });
});

describe('on a device that can be read only by waiting for it', () => {
  async function onWaitingDevice(
    work: (made: ReturnType<typeof managed> & { x: tf.Tensor }) => Promise<void>,
  ): Promise<void> {
    const before = tf.getBackend();
    await tf.setBackend(farBackend({ readsNow: false }).name);
    try {
      // Made there: moving a tensor away from such a device is a read too.
      await work({
        ...managed(),
        x: tf.tensor2d([
          [1, 2, 3],
          [-1, 0.5, 2],
        ]),
      });
    } finally {
      await tf.setBackend(before);
    }
  }

  test('what was measured and captured is there after settle, and asking before says so', async () => {
    await onWaitingDevice(async ({ manager, someModel, x }) => {
      manager.registerMonitoringHook('first', { id: 'm' });
      manager.registerDebugHook('first', { id: 'd', conditions: { range: [-0.1, 0.1] } });
      manager.registerCaptureHook('first', { id: 'a' });
      tf.dispose(run(someModel, x));
      for (const ask of [
        () => manager.getMetrics('m'),
        () => manager.getLatestMetrics('m'),
        () => manager.getFindings('d'),
        () => manager.getCapturedStates('a'),
      ]) {
        const { code, message } = await errorOf(ask);
        expect(code).toBe('CANNOT_READ_NOW');
        expect(message).toContain('await settle()');
      }
      await manager.settle();
      expect(manager.getMetrics('m')[0]!.values.norm).toBeGreaterThan(0);
      expect(manager.getFindings('d')).toHaveLength(1);
      expect(values(manager.getCapturedStates('a')[0]!)).toHaveLength(8);
    });
  });

  test('tensors that stay there are saved, and are read by the caller', async () => {
    await onWaitingDevice(async ({ manager, someModel, x }) => {
      manager.registerCaptureHook('first', { id: 'a', store: 'device' });
      tf.dispose(run(someModel, x));
      await manager.settle();
      const { message } = await errorOf(() => manager.getCapturedStates('a'));
      expect(message).toContain('getCapturedTensors');
      expect(await manager.getCapturedTensors('a')[0]!.outputs[0]!.data()).toHaveLength(8);
      const file = join(tempFolder(), 'states.safetensors');
      await manager.saveCapturedStates(file);
      expect((await readFile(file)).length).toBeGreaterThan(0);
    });
  });

  test('statistics that nobody reads are read in the meantime, all of them, unless they are forgotten', async () => {
    await onWaitingDevice(async ({ manager, someModel, x }) => {
      manager.registerMonitoringHook('first', { id: 'm', metrics: ['mean'] });
      const pass = (times: number): void => {
        for (let i = 0; i < times; i++) tf.dispose(run(someModel, x));
      };
      const before = tf.memory().numTensors;
      pass(1024);
      expect(tf.memory().numTensors - before).toBe(1); // all numbers, on their way
      expect((await errorOf(() => manager.getMetrics('m'))).code).toBe('CANNOT_READ_NOW');
      await manager.settle();
      expect(tf.memory().numTensors).toBe(before);
      const [newest] = manager.getLatestMetrics('m');
      expect(newest!.values.mean).toBeTypeOf('number');
      pass(1024);
      manager.clearRecords();
      await manager.settle();
      expect(manager.getMetrics('m')).toEqual([]);
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  test.each(['throw', 'break'] as const)(
    'a condition with the action %s is refused when it is registered',
    async (action) => {
      await onWaitingDevice(async ({ manager, someModel, x }) => {
        const { code, message } = await errorOf(() =>
          manager.registerDebugHook('first', { id: 'd', action }),
        );
        expect(code).toBe('CANNOT_READ_NOW');
        expect(message).toContain(
          `Debug hook "d" with action: '${action}' must read the device synchronously`,
        );
        expect(message).toContain("Use action: 'record'");
        expect(manager.listHooks()).toEqual([]);
        // What the caller judges needs no number of ours.
        manager.registerDebugHook('first', { action, conditions: { custom: () => false } });
        tf.dispose(run(someModel, x));
      });
    },
  );
});
