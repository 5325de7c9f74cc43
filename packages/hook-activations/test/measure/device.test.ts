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
