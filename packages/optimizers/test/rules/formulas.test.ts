import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerSpec } from '../../src/create-optimizers.js';
import { drive, GRADIENTS, START } from '../drive.js';
import { adadelta, adagrad, adam, lion, type Reference, rmsprop, runReference, sgd } from './reference.js';

const cases: [string, OptimizerSpec, Reference][] = [
  ['sgd', { name: 'sgd', lr: 0.1 }, sgd(0.1)],
  ['sgd by its name alone', 'sgd', sgd(0.01)],
  ['sgd with momentum', { name: 'sgd', lr: 0.05, momentum: 0.9 }, sgd(0.05, { momentum: 0.9 })],
  [
    'sgd with nesterov',
    { name: 'sgd', lr: 0.05, momentum: 0.9, nesterov: true },
    sgd(0.05, { momentum: 0.9, nesterov: true }),
  ],
  ['sgd with weight decay', { name: 'sgd', lr: 0.1, weightDecay: 0.2 }, sgd(0.1, { decay: 0.2 })],
  [
    'sgd with everything',
    { name: 'sgd', lr: 0.05, momentum: 0.8, nesterov: true, weightDecay: 0.1 },
    sgd(0.05, { momentum: 0.8, nesterov: true, decay: 0.1 }),
  ],
  ['adam by its name alone', 'adam', adam(0.001)],
  [
    'adam with everything',
    { name: 'adam', lr: 0.02, beta1: 0.8, beta2: 0.95, epsilon: 1e-5, weightDecay: 0.1 },
    adam(0.02, { beta1: 0.8, beta2: 0.95, epsilon: 1e-5, decay: 0.1 }),
  ],
  ['adam with weight decay', { name: 'adam', lr: 0.05, weightDecay: 0.1 }, adam(0.05, { decay: 0.1 })],
  ['adamw by its name alone', 'adamw', adam(0.001, { decoupled: 0.01 })],
  ['adamw with weight decay', { name: 'adamw', lr: 0.05, weightDecay: 0.3 }, adam(0.05, { decoupled: 0.3 })],
  ['rmsprop by its name alone', 'rmsprop', rmsprop(0.01)],
  ['rmsprop, centered', { name: 'rmsprop', centered: true }, rmsprop(0.01, { centered: true })],
  ['rmsprop with momentum', { name: 'rmsprop', lr: 0.005, momentum: 0.9 }, rmsprop(0.005, { momentum: 0.9 })],
  [
    'rmsprop with everything',
    { name: 'rmsprop', lr: 0.003, rho: 0.9, epsilon: 1e-3, momentum: 0.7, centered: true, weightDecay: 0.1 },
    rmsprop(0.003, { rho: 0.9, epsilon: 1e-3, momentum: 0.7, centered: true, decay: 0.1 }),
  ],
  ['adagrad by its name alone', 'adagrad', adagrad(0.01)],
  [
    'adagrad with everything',
    { name: 'adagrad', lr: 0.1, initialAccumulator: 0.1, epsilon: 1e-3, weightDecay: 0.1 },
    adagrad(0.1, { initial: 0.1, epsilon: 1e-3, decay: 0.1 }),
  ],
  ['adadelta by its name alone', 'adadelta', adadelta(1)],
  [
    'adadelta with everything',
    { name: 'adadelta', lr: 2, rho: 0.95, epsilon: 1e-4, weightDecay: 0.1 },
    adadelta(2, { rho: 0.95, epsilon: 1e-4, decay: 0.1 }),
  ],
  ['lion by its name alone', 'lion', lion(0.0001)],
  [
    'lion with everything',
    { name: 'lion', lr: 0.01, beta1: 0.8, beta2: 0.95, weightDecay: 0.3 },
    lion(0.01, { beta1: 0.8, beta2: 0.95, decoupled: 0.3 }),
  ],
];

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test.each(cases)('%s follows its formula in double precision over 50 steps', (_name, spec, reference) => {
    const expected = runReference(reference, START, GRADIENTS);
    const { step, values } = drive(spec);
    step(GRADIENTS);
    const actual = values();
    expected.forEach((weight, index) => {
      expect(Math.abs(actual[index]! - weight), `weight ${index}`).toBeLessThan(1e-5);
    });
    expect(expected.slice(0, 4)).not.toEqual(START.slice(0, 4));
  });

  test.each(cases)('%s leaves no tensor behind', (_name, spec) => {
    const { step } = drive(spec);
    step(GRADIENTS.slice(0, 1));
    const before = tf.memory().numTensors;
    step(GRADIENTS.slice(1, 10));
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('where the optimizers of tfjs are wrong', () => {
  beforeAll(() => useBackend('cpu'));

  /** Where one of tfjs's own brings a 1 in one step. */
  function stock(optimizer: tf.Optimizer, gradient: number): number {
    const { step, values } = drive(optimizer, [1]);
    step([[gradient]]);
    return values()[0]!;
  }

  test('the first step of adadelta has the size of its epsilon, whatever the gradient', () => {
    const { step, values } = drive({ name: 'adadelta', rho: 0.95, epsilon: 1e-7 }, [1]);
    step([[10]]);
    expect(1 - values()[0]!).toBeCloseTo(Math.sqrt(1e-7 / 0.05), 6);
    expect(1 - stock(tf.train.adadelta(1, 0.95, 1e-7), 10)).toBeCloseTo(10, 3);
  });

  test('a centered rmsprop stays finite when there is no gradient', () => {
    const { step, values } = drive({ name: 'rmsprop', centered: true }, [1]);
    step([[0], [0]]);
    expect(values()).toEqual([1]);
    expect(stock(tf.train.rmsprop(0.01, 0.9, 0, 1e-8, true), 0)).toBeNaN();
  });

  test('a centered rmsprop stays finite when the gradient hardly changes', () => {
    const { step, values } = drive({ name: 'rmsprop', centered: true, rho: 0.5 }, [1]);
    step(Array.from({ length: 200 }, () => [0.1234567]));
    expect(values()[0]).not.toBeNaN();
  });

  test('momentum can be changed while training', () => {
    const { step, values, optimizer } = drive({ name: 'sgd', lr: 1, momentum: 0.9 }, [0]);
    step([[1]]);
    optimizer.view.groups[0]!.momentum = 0;
    step([[1]]);
    expect(values()[0]).toBeCloseTo(-2, 6);
    const momentum = tf.train.momentum(1, 0.9);
    const other = drive(momentum, [0]);
    other.step([[1]]);
    momentum.setMomentum(0);
    other.step([[1]]);
    expect(other.values()[0]).toBeCloseTo(-2.9, 6);
  });
});
