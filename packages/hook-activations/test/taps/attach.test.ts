import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { run, TapManager } from '../../src/index.js';
import { managed, STREAM, X } from '../managed.js';
import { Blocks, mixed, mlp } from '../models.js';

const isTapped = (model: ReturnType<typeof mlp>): boolean =>
  model.layers.some((layer) => Object.hasOwn(layer, 'call'));

describe('a manager', () => {
  test('that moves to a model without the layer says so and leaves both models untouched', () => {
    const { manager, someModel } = managed();
    manager.registerMonitoringHook('**', { id: 'all' });
    manager.registerCaptureHook('second', { id: 'a' });
    tf.dispose(run(someModel, X));
    const other = sequential({ layers: [layers.dense({ units: 2, inputShape: [3], name: 'only' })] });
    expect(() => manager.attach(other)).toThrow('only');
    expect([isTapped(someModel), isTapped(other)]).toEqual([false, false]);
    // The hooks and what they captured are still there, for a model that fits.
    expect(manager.getCapturedStates('a')).toHaveLength(1);
    manager.attach(someModel);
    tf.dispose(run(someModel, X));
    expect(manager.getCapturedStates('a')).toHaveLength(2);
  });

  test('without a model takes hooks for the one to come', () => {
    const { manager } = managed();
    manager.detach();
    manager.registerCaptureHook('out', { id: 'a' });
    expect(manager.listHooks()).toEqual([{ id: 'a', kind: 'capture', paths: [] }]);
    const model = mlp();
    manager.attach(model);
    expect(manager.listHooks()[0]!.paths).toEqual(['out']);
    tf.dispose(run(model, X));
    expect(manager.getCapturedStates('a')).toHaveLength(1);
  });

  test('takes everything away at the end of its block', () => {
    const model = mlp();
    const { numTensors } = tf.memory();
    {
      using manager = new TapManager(model);
      manager.registerCaptureHook('**', { store: 'device' });
      tf.dispose(run(model, X));
      expect(isTapped(model)).toBe(true);
      expect(tf.memory().numTensors).toBe(numTensors + 6);
    }
    expect(isTapped(model)).toBe(false);
    expect(tf.memory().numTensors).toBe(numTensors);
  });

  test('finds a layer object however deep it lies in the model', () => {
    const { manager, someModel } = managed({}, mixed());
    const td = someModel.getLayer('td') as unknown as { layer: ReturnType<typeof mlp> };
    manager.registerCaptureHook(td.layer.layers[0]!, { id: 'inner' });
    expect(manager.listHooks()[0]!.paths).toEqual([expect.stringMatching(/^td\/layer\/dense/)]);
  });
});

describe('hooks', () => {
  test('that are optional may match nothing', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const optional = true;
    manager.registerCaptureHook('conv_*', { optional });
    manager.registerMonitoringHook('conv_*', { optional });
    manager.registerDebugHook('conv_*', { optional });
    manager.registerInterventionHook('conv_*', { optional, transform: ({ output }) => output });
    tf.dispose(run(someModel, X));
    expect(manager.listHooks()).toEqual(
      ['capture', 'monitor', 'debug', 'intervention'].map((kind, i) => ({
        ...{ id: `${kind}_${i + 1}`, kind },
        paths: [],
      })),
    );
  });

  test('without an id get one that nobody else has', () => {
    const { manager } = managed();
    manager.registerCaptureHook('first', { id: 'capture_1' });
    expect(manager.registerCaptureHook('first')).toBe('capture_2');
    manager.removeHook('capture_1');
    expect(manager.registerMonitoringHook('first')).toBe('monitor_3');
  });

  test('of a module list the points seen so far', () => {
    const { manager, someModel } = managed({}, new Blocks());
    manager.registerMonitoringHook('**/out', { id: 'm' });
    expect(manager.listHooks()[0]!.paths).toEqual([]);
    tf.dispose(run(someModel as never, STREAM));
    expect(manager.listHooks()[0]!.paths).toEqual(['block_1/out', 'block_2/out']);
  });

  test('forget their records when told to, and nothing else', () => {
    const { manager, someModel } = managed();
    manager.registerMonitoringHook('out', { id: 'm' });
    manager.registerDebugHook('out', { id: 'd', conditions: { custom: () => true } });
    manager.registerCaptureHook('out', { id: 'c' });
    tf.dispose(run(someModel, X));
    expect(manager.getFindings('d')[0]!.message).toBe('The output of "out" meets the condition.');
    manager.clearRecords();
    expect([manager.getMetrics('m'), manager.getLatestMetrics('m'), manager.getFindings('d')]).toEqual([
      [],
      [],
      [],
    ]);
    expect(manager.getCapturedStates('c')).toHaveLength(1);
  });

  test('keep the newest hundred states where no limit was given', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('out', { id: 'c', captureInput: false });
    for (let i = 0; i < 103; i++) tf.dispose(run(someModel, X));
    const passes = manager.getCapturedStates('c').map(({ pass }) => pass);
    expect(passes).toHaveLength(100);
    expect(passes.at(-1)! - passes[0]!).toBe(99);
  });
});
