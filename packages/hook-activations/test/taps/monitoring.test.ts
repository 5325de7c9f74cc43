import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/index.js';
import { managed, OF_VALUES, SEQUENCE, STREAM, values, X } from '../managed.js';
import { Blocks, mixed } from '../models.js';

describe('a monitoring hook', () => {
  test('measures what a direct computation gives', () => {
    const { manager, someModel } = managed();
    const metrics = [...OF_VALUES, 'bytes', 'time'] as const;
    manager.registerMonitoringHook('first', { id: 'm', metrics });
    manager.registerCaptureHook('first', { id: 'c' });
    run(someModel, X);
    const [record] = manager.getMetrics('m');
    const output = values(manager.getCapturedStates('c')[0]!);
    const mean = output.reduce((a, b) => a + b) / 8;
    const dead = [0, 1, 2, 3].filter((unit) => output[unit] === 0 && output[unit + 4] === 0).length / 4;
    expect(Object.keys(record!.values).sort()).toEqual(metrics.filter((name) => name !== 'histogram').sort());
    expect(record).toMatchObject({
      path: 'first',
      calls: 1,
      training: false,
      values: {
        min: Math.min(...output),
        max: Math.max(...output),
        sparsity: output.filter((value) => value === 0).length / 8,
        dead,
        nonFinite: 0,
        bytes: 32,
      },
    });
    expect(dead).toBeGreaterThan(0); // relu
    expect(record!.values.mean).toBeCloseTo(mean, 6);
    expect(record!.values.std).toBeCloseTo(
      Math.sqrt(output.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 8),
      6,
    );
    expect(record!.values.norm).toBeCloseTo(Math.hypot(...output), 5);
    expect(record!.histogram!.num).toBe(8);
    expect(record!.values.time).toBeGreaterThan(0);
  });

  test('takes all calls of a layer in a pass together', () => {
    const { manager, someModel } = managed({}, mixed());
    manager.registerMonitoringHook(['lstm/cell', 'shared'], {
      id: 'm',
      metrics: ['mean', 'std', 'norm', 'dead', 'time'],
    });
    manager.registerCaptureHook(['lstm/cell', 'shared'], { id: 'c' });
    run(someModel, SEQUENCE);
    const states = manager.getCapturedStates('c');
    for (const { path, calls, values: measured } of manager.getMetrics('m')) {
      const of = states.filter((state) => state.path === path);
      const all = of.flatMap(values);
      const mean = all.reduce((a, b) => a + b) / all.length;
      expect(calls).toBe(of.length);
      expect(measured.mean).toBeCloseTo(mean, 6);
      expect(measured.std).toBeCloseTo(
        Math.sqrt(all.reduce((sum, v) => sum + (v - mean) ** 2, 0) / all.length),
        6,
      );
      expect(measured.norm).toBeCloseTo(Math.hypot(...all), 5);
    }
  });

  test('sees the gradient that flows through, summed over a pass', () => {
    const { manager, someModel } = managed();
    manager.registerMonitoringHook('**', { id: 'm', metrics: ['gradient'] });
    const { grads } = tf.variableGrads(() => tf.sum(someModel.apply(X, { training: true }) as tf.Tensor));
    const records = manager.getMetrics('m');
    // The gradient of a sum is 1 for each output; that of the bias is its sum over the batch.
    expect(records.find(({ path }) => path === 'out')!.values.gradient).toBeCloseTo(Math.SQRT2, 6);
    expect(records.every(({ values: { gradient } }) => gradient! > 0)).toBe(true);
    tf.dispose(grads);
  });

  test('does without the time of a module’s points', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('**', { id: 'm', metrics: ['mean', 'time'] });
    run(someModel as never, STREAM);
    expect(manager.getMetrics('m').map(({ path, values: found }) => [path, Object.keys(found)])).toEqual(
      ['embed', 'block_1/heads', 'block_1/out', 'block_2/heads', 'block_2/out', 'logit'].map((path) => [
        path,
        ['mean'],
      ]),
    );
  });

  test('keeps the newest passes, and shows the latest alone', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 2 });
    manager.registerMonitoringHook('**', { id: 'm' });
    for (let i = 0; i < 5; i++) run(someModel, X);
    expect(manager.getMetrics('m')).toHaveLength(6);
    expect(manager.getLatestMetrics('m')).toEqual(manager.getMetrics('m').slice(3));
  });

  test('shows a NaN, and draws the histogram of the rest', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('embed', { id: 'm', metrics: ['mean', 'max', 'nonFinite', 'histogram'] });
    run(someModel as never, tf.tensor2d([[Number.NaN, 1, 2, Number.POSITIVE_INFINITY]]));
    const [record] = manager.getMetrics('m');
    expect(record!.values).toEqual({ mean: Number.NaN, max: Number.POSITIVE_INFINITY, nonFinite: 2 });
    expect(record!.histogram).toMatchObject({ num: 2, min: 1, max: 2 });
  });

  test('draws the histogram of a large layer from 4,096 of its values', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('embed', { id: 'm', metrics: ['histogram', 'sparsity'] });
    const large = tf.ones([5000, 4]);
    tf.dispose(run(someModel as never, large));
    large.dispose();
    expect(manager.getMetrics('m')[0]).toMatchObject({ histogram: { num: 4096, min: 1, max: 1 } });
  });
});
