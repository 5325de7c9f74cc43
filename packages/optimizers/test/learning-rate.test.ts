import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { drive, GRADIENTS } from './drive.js';

const steps = GRADIENTS.slice(0, 10);

describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
  beforeAll(() => useBackend(backend));

  test('the update uses the product of lr and lrScale', () => {
    const expected = drive({ name: 'adam', lr: 0.02 });
    expected.step(steps);
    const scaled = drive({ name: 'adam', lr: 123 });
    Object.assign(scaled.optimizer.view.groups[0]!, { lr: 0.005, lrScale: 4 });
    scaled.step(steps);
    expect(scaled.values()).toEqual(expected.values());
  });

  test('momentum and weight decay can be changed on the view', () => {
    const expected = drive({ name: 'sgd', lr: 0.02, momentum: 0.5, weightDecay: 0.1 });
    expected.step(steps);
    const changed = drive({ name: 'sgd', lr: 0.02, momentum: 0.9, weightDecay: 0.3 });
    Object.assign(changed.optimizer.view.groups[0]!, { momentum: 0.5, weightDecay: 0.1 });
    changed.step(steps);
    expect(changed.values()).toEqual(expected.values());
  });
});

describe('a setting that would have no effect is refused where it is written', () => {
  test.each([
    ['sgd without momentum', { name: 'sgd', lr: 0.1 } as const],
    ['sgd with a momentum of 0', { name: 'sgd', lr: 0.1, momentum: 0 } as const],
    ['rmsprop without momentum', { name: 'rmsprop', lr: 0.1 } as const],
    ['adam', 'adam' as const],
    ['an optimizer of tf.train', tf.train.momentum(0.1, 0.9)],
  ])('momentum of %s', (_what, option) => {
    const [group] = drive(option).optimizer.view.groups;
    expect(() => Object.assign(group!, { momentum: 0.9 })).toThrow(
      expect.objectContaining({
        code: 'BAD_OPTIMIZER',
        message: expect.stringMatching(/no effect.*momentum: 0.9/),
      }),
    );
    Object.assign(group!, { momentum: 0 });
    expect(group!.momentum).toBeUndefined();
  });

  test('weight decay of an optimizer of tf.train; those by name take it', () => {
    const [group] = drive(tf.train.sgd(0.1)).optimizer.view.groups;
    expect(() => Object.assign(group!, { weightDecay: 0.1 })).toThrow(/no effect/);
    const [own] = drive('sgd').optimizer.view.groups;
    expect(Object.assign(own!, { weightDecay: 0.1 }).weightDecay).toBe(0.1);
  });
});
