import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { tensorArithmetic } from '../../src/rules/arithmetic.js';
import { OPTIMIZER_KINDS, type OptimizerName } from '../../src/rules/optimizer-kinds.js';
import { drive, GRADIENTS, START } from '../drive.js';

describe.each(['wasm', 'cpu'] as const)('on %s an optimizer step runs no operations of tfjs', (backend) => {
  beforeAll(() => useBackend(backend), 60_000);

  const cases: [OptimizerName, object][] = [
    ['sgd', {}],
    ['sgd', { momentum: 0.9, nesterov: true, weightDecay: 0.1 }],
    ['adam', { weightDecay: 0.1 }],
    ['adamw', { beta1: 0.8 }],
    ['rmsprop', { momentum: 0.9 }],
    ['rmsprop', { centered: true, rho: 0.9 }],
    ['adagrad', { initialAccumulator: 0.1 }],
    ['adadelta', { rho: 0.95 }],
    ['lion', { weightDecay: 0.1 }],
    ['lion', {}],
  ];

  test.each(cases)('%s %o gives the bits of its rule on tensors', (name, options) => {
    const driven = drive({ name, ...options } as never);
    driven.step(GRADIENTS.slice(0, 10));
    expect(driven.values()).toEqual(byRule(name, options, GRADIENTS.slice(0, 10)));
  });

  test('nothing else is computed, and what somebody cloned or read keeps its values', () => {
    const driven = drive('adam');
    driven.step(GRADIENTS.slice(0, 1));
    const { variable } = driven.optimizer.parameters[0]!;
    const before = driven.values();
    const [{ dataId }, made] = [variable, tensorsSoFar()];
    driven.step(GRADIENTS.slice(1, 2));
    if (backend === 'wasm') expect(variable.dataId).toBe(dataId);
    expect(tensorsSoFar() - made).toBeLessThan(8); // the gradient, the value, two slots
    const clone = tf.clone(variable);
    const read = variable.dataSync();
    const during = driven.values();
    driven.step(GRADIENTS.slice(2, 3));
    expect([...clone.dataSync()]).toEqual(during);
    expect([...read]).toEqual(during);
    expect(during).not.toEqual(before);
    expect(driven.values()).not.toEqual(during);
  });
});

/** The rule on tensors, with the operations of tfjs. */
function byRule(name: OptimizerName, options: object, gradients: readonly number[][]): number[] {
  const { lr, weightDecay, rule: ruleOf } = OPTIMIZER_KINDS[name];
  const rule = ruleOf(options as never);
  const hyper = { lr, ...(weightDecay !== undefined && { weightDecay }), ...options };
  const math = tensorArithmetic();
  let value: tf.Tensor = tf.tensor1d([...START]);
  let slots = rule.slots.map((): tf.Tensor => tf.zerosLike(value));
  for (const [index, row] of gradients.entries()) {
    const gradient: tf.Tensor = tf.tensor1d(row);
    ({ value, slots } = rule.update({ value, gradient, slots, step: index + 1, hyper, math }));
  }
  return [...value.dataSync()];
}

test('the state survives a tidy around the loop', async () => {
  await useBackend('cpu');
  const [plain, tidied] = [drive('adam'), drive('adam')];
  for (const row of GRADIENTS.slice(0, 5)) {
    plain.step([row]);
    tf.tidy(() => tidied.step([row]));
  }
  expect(tidied.values()).toEqual(plain.values());
});

/** Tensors are numbered as they are made. */
function tensorsSoFar(): number {
  return tf.tidy(() => tf.scalar(0).id);
}
