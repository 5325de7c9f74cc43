import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { run } from '../src/index.js';
import { managed, values, X } from './managed.js';
import { numbers } from './models.js';

describe('an intervention hook', () => {
  test('is refused unless interventions are enabled', () => {
    const { manager } = managed();
    expect(() =>
      manager.registerInterventionHook('first', { id: 'x', transform: ({ output }) => output }),
    ).toThrow(
      expect.objectContaining({
        code: 'INTERVENTION_DISABLED',
        message: expect.stringContaining('enableIntervention: true'),
      }),
    );
    expect(manager.listHooks()).toEqual([]);
  });

  test('changes outputs and inputs, and observers see what it made, whoever came first', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerCaptureHook('second', { id: 'c' });
    manager.registerInterventionHook('second', {
      id: 'zero',
      transform: ({ output }) => tf.zerosLike(output),
    });
    expect(numbers(run(someModel, X))).toEqual([0, 0]);
    expect(values(manager.getCapturedStates('c')[0]!)).toEqual(Array(6).fill(0));
    manager.removeHook('zero');
    expect(numbers(run(someModel, X))).not.toEqual([0, 0]);
    manager.registerInterventionHook('out', { transformInput: ({ input }) => tf.zerosLike(input) });
    expect(numbers(run(someModel, X))).toEqual([0, 0]);
    expect(() => manager.registerInterventionHook('out', {})).toThrow('has nothing to do');
  });
});
