import * as tf from '@tensorflow/tfjs-core';
import { layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { run, TapManager } from '../../src/index.js';
import { managed, X } from '../managed.js';
import { mlp, numbers } from '../models.js';

describe('hooks', () => {
  test('have ids of their own, are listed, and are named when they are not there', () => {
    const { manager } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerMonitoringHook('**', { id: 'b' });
    expect(manager.listHooks()).toEqual([
      { id: 'a', kind: 'capture', paths: ['first'] },
      { id: 'b', kind: 'monitor', paths: ['first', 'second', 'out'] },
    ]);
    expect(() => manager.registerDebugHook('first', { id: 'a' })).toThrow('already a hook with the id "a"');
    expect(() => manager.getCapturedStates('c')).toThrow(
      'There is no hook with the id "c". Hooks here: a, b.',
    );
    expect(() => manager.getCapturedStates('b')).toThrow('"b" is a monitor hook');
    expect(() => manager.registerCaptureHook('frst', { id: 'c' })).toThrow('Nearest: first');
    expect(() => manager.registerCaptureHook(layers.dense({ units: 1, name: 'stranger' }))).toThrow(
      'The layer "stranger" is not in the model. It has: first, second, out.',
    );
    expect(() => manager.registerCaptureHook('first', { layerindex: 1 } as never)).toThrow(
      'Did you mean "layerIndex"?',
    );
    expect(() => manager.registerMonitoringHook('first', { metrics: ['men'] as never })).toThrow(
      'a list of mean, std',
    );
    expect(() => manager.registerDebugHook('first', { conditions: { nans: true } as never })).toThrow(
      '"nans"',
    );
    expect(() => new TapManager(mlp(), { memoryLimit: 1 } as never)).toThrow('Did you mean "memoryLimitMb"?');
    expect(manager.listHooks()).toHaveLength(2);
  });

  test('may be registered and removed by hooks while the model runs', () => {
    const { manager, someModel } = managed();
    let round = 0;
    manager.registerDebugHook('first', {
      id: 'changing',
      conditions: {
        custom: () => {
          round++;
          if (round === 1) manager.registerCaptureHook('**', { id: 'late' });
          if (round === 2) manager.removeHook('late');
          if (round === 2) manager.removeHook('changing');
          return false;
        },
      },
    });
    run(someModel, X);
    // A call that runs finishes on the list it began with; the layers after it have the new hook.
    expect(manager.getCapturedStates('late').map(({ path }) => path)).toEqual(['second', 'out']);
    run(someModel, X);
    expect(manager.listHooks()).toEqual([]);
    expect(manager.capturedBytes).toBe(0);
    expect(someModel.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
  });

  test('of two models that run interleaved keep to their own', () => {
    const [a, b] = [managed(), managed()];
    a.manager.registerCaptureHook('**', { id: 'a' });
    b.manager.registerCaptureHook('**', { id: 'b' });
    // One runs inside the other.
    a.manager.registerDebugHook('first', {
      conditions: {
        custom: () => {
          run(b.someModel, tf.neg(X));
          return false;
        },
      },
    });
    run(a.someModel, X);
    const [ofA, ofB] = [a.manager.getCapturedStates('a'), b.manager.getCapturedStates('b')];
    for (const [states, x] of [
      [ofA, X],
      [ofB, tf.neg(X)],
    ] as const) {
      expect(states.map(({ path }) => path)).toEqual(['first', 'second', 'out']);
      expect(new Set(states.map(({ pass }) => pass)).size).toBe(1);
      expect([...states[0]!.inputs[0]!.data]).toEqual(numbers(x));
    }
    expect(ofA[0]!.pass).not.toBe(ofB[0]!.pass);
  });

  test('move with the manager to another model', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    const other = sequential({ layers: [layers.dense({ units: 2, inputShape: [3], name: 'first' })] });
    manager.attach(other);
    run(someModel, X);
    expect(manager.getCapturedStates('a')).toEqual([]);
    run(other, X);
    expect(manager.getCapturedStates('a')[0]!.outputs[0]!.shape).toEqual([2, 2]);
  });

  test('leak no tensor when what they were given throws', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerCaptureHook('**', { id: 'a', store: 'device' });
    manager.registerDebugHook('second', {
      conditions: {
        custom: () => {
          throw new Error('boom');
        },
      },
    });
    const before = tf.memory().numTensors;
    for (let i = 0; i < 3; i++) expect(() => run(someModel, X)).toThrow('boom');
    manager.dispose();
    expect(tf.memory().numTensors).toBe(before);
  });
});
