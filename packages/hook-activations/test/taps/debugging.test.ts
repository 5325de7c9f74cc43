import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { activations, type DebugFinding, run } from '../../src/index.js';
import { managed, SEQUENCE, X } from '../managed.js';
import { mixed } from '../models.js';

describe('a debug hook', () => {
  test('finds NaN, values out of range, and what a function says', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const heard: DebugFinding[] = [];
    manager.registerDebugHook('**', { id: 'nan', onFinding: (finding) => void heard.push(finding) });
    manager.registerDebugHook('first', { id: 'range', conditions: { range: [0, 0.1] } });
    manager.registerDebugHook('out', {
      id: 'custom',
      conditions: { custom: ({ output, training }) => !training && `has shape ${output.shape}` },
    });
    run(someModel, X);
    expect(manager.getFindings('nan')).toEqual([]);
    expect(manager.getFindings('range')).toMatchObject([{ id: 'range', path: 'first', condition: 'range' }]);
    expect(manager.getFindings('range')[0]!.message).toMatch(
      /^The output of "first" goes from 0 to [\d.]+, outside of 0 to 0\.1\.$/,
    );
    expect(manager.getFindings('custom')[0]!.message).toBe('The output of "out" has shape 2,1.');

    manager.registerInterventionHook('second', { transform: ({ output }) => tf.div(output, 0) });
    run(someModel, X);
    expect(heard.map(({ path, condition }) => `${path} ${condition}`)).toEqual(['second nan', 'out nan']);
    expect(heard[0]!.message).toMatch(
      /^The output of "second" has \d of 6 values that are NaN or infinite\.$/,
    );
  });

  test('can end the pass there', () => {
    const { manager, someModel } = managed();
    manager.registerDebugHook('first', { id: 'strict', conditions: { range: [-0.1, 0.1] }, action: 'throw' });
    const before = tf.memory().numTensors;
    expect(() => run(someModel, X)).toThrow(
      expect.objectContaining({
        code: 'DEBUG_CONDITION',
        message: expect.stringContaining('Debug hook "strict"'),
      }),
    );
    expect(tf.memory().numTensors).toBe(before);
    expect(manager.getFindings('strict')).toHaveLength(1);
  });

  test('follows the gradient: too small, too large, or no number', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerDebugHook('**', { id: 'flow', conditions: { gradient: { min: 0.1, max: 100 } } });
    const scale = manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, 1e-6),
    });
    const backward = (): string[] => {
      manager.clearRecords();
      tf.dispose(
        tf.variableGrads(() => tf.sum(someModel.apply(X, { training: true }) as tf.Tensor)) as never,
      );
      return manager.getFindings('flow').map(({ path, message }) => `${path}: ${message.split(', ')[1]}`);
    };
    expect(backward()).toEqual(['first: below 0.1.']);
    manager.removeHook(scale);
    expect(backward()).toEqual([]);
    manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, 1e6),
    });
    expect(backward()).toEqual(['first: above 100.']);
  });

  test('breaks into the debugger and continues', () => {
    const { manager, someModel } = managed();
    manager.registerDebugHook('first', { id: 'b', conditions: { custom: () => true }, action: 'break' });
    expect(run(someModel, X).shape).toEqual([2, 1]);
    expect(manager.getFindings('b')).toHaveLength(1);
  });

  test('names the call of a layer that is used several times', () => {
    const { manager, someModel } = managed({}, mixed());
    const custom = ({ callIndex }: { callIndex: number }) => callIndex === 1;
    manager.registerDebugHook('shared', { id: 'd', conditions: { custom } });
    tf.dispose(run(someModel, SEQUENCE));
    expect(manager.getFindings('d')[0]!.message).toBe('The output of "shared" (call 1) meets the condition.');
  });

  test('looks at every output of a layer, states of a cell included', () => {
    const { manager, someModel } = managed({ enableIntervention: true }, mixed());
    manager.registerInterventionHook('lstm/cell', {
      transform: ({ outputs: [output, hidden, cell], callIndex }) =>
        callIndex === 3 ? [output!, hidden!, tf.fill(cell!.shape, Number.NaN)] : undefined,
    });
    manager.registerDebugHook('**', { id: 'd' });
    tf.dispose(run(someModel, SEQUENCE));
    expect(manager.getFindings('d').map(({ message }) => message)).toEqual([
      'The output of "lstm/cell" (call 3) has 6 of 6 values that are NaN or infinite.',
    ]);
  });

  test('reports a gradient that is not a number, and can end the pass there', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, Number.NaN),
    });
    manager.registerDebugHook('first', { id: 'flow', conditions: { gradient: {} }, action: 'throw' });
    const backward = () =>
      tf.tidy(() => void tf.variableGrads(() => tf.sum(someModel.apply(X, { training: true }) as tf.Tensor)));
    expect(backward).toThrow(
      'Debug hook "flow": The output of "first" has a gradient of norm NaN, not a number.',
    );
  });

  test.each([
    ['a range the wrong way round', { range: [1, -1] }, '"range" two numbers, [min, max]'],
    ['a range of text', { range: ['a', 'b'] }, '"range" two numbers, [min, max]'],
    ['a bound that is text', { gradient: { max: '3' } }, '"gradient" numbers, { min, max }'],
    ['a bound that is misspelt', { gradient: { maximum: 3 } }, '"gradient" numbers, { min, max }'],
  ])('refuses %s, which would never be met', (_what, conditions, message) => {
    const { manager } = managed();
    expect(() => manager.registerDebugHook('first', { conditions: conditions as never })).toThrow(message);
    expect(() => activations({ debug: 'first', conditions: conditions as never })).toThrow(message);
  });
});
