import type { Hook, HookContext } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { activations, run } from '../../src/index.js';
import { managed, SEQUENCE, values, X } from '../managed.js';
import { mixed, mlp, numbers } from '../models.js';
import { train } from '../training.js';

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

describe('several interventions', () => {
  test('work on one layer in the order in which they were registered', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerInterventionHook('out', { transform: ({ output }) => tf.add(tf.zerosLike(output), 3) });
    manager.registerInterventionHook('out', { id: 'double', transform: ({ output }) => tf.mul(output, 2) });
    expect(numbers(run(someModel, X))).toEqual([6, 6]);
    manager.removeHook('double');
    expect(numbers(run(someModel, X))).toEqual([3, 3]);
  });

  test('one that returns nothing leaves the output as it is', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const before = numbers(run(someModel, X));
    let calls = 0;
    manager.registerInterventionHook('**', { transform: () => void calls++ as undefined });
    expect(numbers(run(someModel, X))).toEqual(before);
    expect(calls).toBe(3);
  });

  test('are told where they are: path, call, and whether the model trains', () => {
    const { manager, someModel } = managed({ enableIntervention: true }, mixed());
    const seen: string[] = [];
    manager.registerInterventionHook('shared', {
      transform: ({ path, callIndex, training, output }) => {
        seen.push(`${path} ${callIndex} ${training}`);
        return callIndex === 1 ? tf.zerosLike(output) : undefined;
      },
    });
    manager.registerCaptureHook('shared', { id: 'c', captureInput: false });
    tf.dispose(run(someModel, SEQUENCE, { training: true }));
    expect(seen).toEqual(['shared 0 true', 'shared 1 true']);
    const [first, second] = manager.getCapturedStates('c');
    expect(values(first!).some((value) => value !== 0)).toBe(true);
    expect(values(second!).every((value) => value === 0)).toBe(true);
  });
});

describe('gradients', () => {
  const gradientsOf = (someModel: ReturnType<typeof mixed>, x: tf.Tensor = X): Record<string, number[]> => {
    const { value, grads } = tf.variableGrads(() =>
      tf.sum(someModel.apply(x, { training: true }) as tf.Tensor),
    );
    const found = Object.entries(grads).map(([name, gradient]) => [name, numbers(gradient)]);
    tf.dispose([value, grads]);
    return Object.fromEntries(found);
  };

  test('flow through what an intervention returns', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const plain = Object.values(gradientsOf(someModel));
    manager.registerInterventionHook('out', { transform: ({ output }) => tf.mul(output, 3) });
    const tripled = Object.values(gradientsOf(someModel));
    tripled.flat().forEach((value, i) => void expect(value).toBeCloseTo(3 * plain.flat()[i]!, 4));
  });

  test('can be replaced on their way back: layers before the point get what it returns, those after it do not', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    const plain = Object.values(gradientsOf(someModel));
    manager.registerInterventionHook('second', {
      transformGradient: ({ gradient }) => tf.mul(gradient, 0),
    });
    const stopped = Object.values(gradientsOf(someModel));
    // kernel and bias of first and second, then of out.
    for (const values of stopped.slice(0, 4)) expect(values.every((value) => value === 0)).toBe(true);
    expect(stopped.slice(4)).toEqual(plain.slice(4));
  });

  test('leave no tensor behind when an intervention throws in the backward pass', () => {
    const { manager, someModel } = managed({ enableIntervention: true });
    manager.registerInterventionHook('second', {
      transformGradient: () => {
        throw new Error('backward');
      },
    });
    const scope = () => tf.tidy(() => void gradientsOf(someModel));
    expect(scope).toThrow('backward');
    manager.dispose();
    expect(Object.keys(gradientsOf(someModel))).toHaveLength(6);
  });
});

test('moving to another model, an intervention still comes before those who watch', () => {
  const { manager } = managed({ enableIntervention: true });
  manager.registerCaptureHook('second', { id: 'c', captureInput: false });
  manager.registerInterventionHook('second', { transform: ({ output }) => tf.onesLike(output) });
  const other = mlp();
  manager.attach(other);
  tf.dispose(run(other, X));
  expect(values(manager.getCapturedStates('c')[0]!)).toEqual(Array(6).fill(1));
  expect(manager.hasInterventions).toBe(true);
  manager.detach();
  tf.dispose(run(other, X));
  expect(manager.getCapturedStates('c')).toHaveLength(1);
});

describe.each(['validation', 'test', 'predict'] as const)('in %s', (stage) => {
  test('interventions act in the stages that were asked for, and only there', async () => {
    const changing = activations({
      monitor: false,
      stages: [stage],
      enableIntervention: true,
      interventions: [['out', ({ output }) => tf.fill(output.shape, 7)]],
    });
    const outputs: Record<string, number[]> = {};
    const keep = (name: string) => (_ctx: HookContext, event: { outputs?: unknown }) => {
      outputs[name] = numbers(event.outputs);
    };
    const reader: Hook = {
      name: 'outputs-reader',
      needs: ['outputs'],
      onTrainBatchEnd: keep('train'),
      onValidationBatchEnd: keep('validation'),
      onTestBatchEnd: keep('test'),
      onPredictBatchEnd: keep('predict'),
    };
    const { trainer } = await train([changing, reader], 'layers', { validation: true });
    const data = { xs: tf.ones([4, 3]), ys: tf.ones([4, 1]) };
    await trainer.test({ data });
    tf.dispose((await trainer.predict({ data: { xs: data.xs } })) as tf.Tensor);
    const changed = Object.keys(outputs).filter((each) => outputs[each]!.every((value) => value === 7));
    expect(Object.keys(outputs)).toEqual(['train', 'validation', 'test', 'predict']);
    expect(changed).toEqual([stage]);
  });
});
