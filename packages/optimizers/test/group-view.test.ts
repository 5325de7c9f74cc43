import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OptimizerOption } from '../src/index.js';
import { drive } from './drive.js';

beforeAll(() => useBackend('cpu'));

const groupOf = (option: OptimizerOption) => drive(option).optimizer.view.groups[0]!;

describe.each<[string, () => OptimizerOption]>([
  ['an optimizer of this package', () => ({ name: 'sgd', lr: 0.1 })],
  ['an optimizer of tf.train', () => tf.train.sgd(0.1)],
])('on the view of %s', (_name, make) => {
  test.each([
    ['NaN', Number.NaN, 'NaN'],
    ['infinity', Infinity, 'Infinity'],
    ['text', '0.1', '"0.1"'],
    ['nothing', undefined, 'undefined'],
  ])(
    'a rate that is %s is refused where it is written, and the old one stays',
    async (_what, value, shown) => {
      const group = groupOf(make());
      const { code, message } = await errorOf(() => Object.assign(group, { lr: value }));
      expect(`${code}: ${message}`).toBe(
        `BAD_OPTIMIZER: lr of optimizer group "sgd" was set to ${shown}, expected a finite number. It was not changed.`,
      );
      expect(group.lr).toBeCloseTo(0.1, 6);
    },
  );

  test('a group cannot be renamed, and takes no numbers that nobody reads', async () => {
    const group = groupOf(make());
    const error = await errorOf(() => Object.assign(group, { name: 'other' }));
    expect(error.message).toBe('Optimizer group "sgd" cannot be renamed.');
    Object.assign(group, { name: 'sgd' }); // a copy of a view may be written back
    expect(() => Object.assign(group, { learningRate: 1 })).toThrow('learningRate');
  });
});
