import type { Hook, HookContext } from '@hookline/hook-api';
import { someOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { CHECKS } from '../src/checks.js';
import type { TestedFactory } from '../src/subject.js';
import { BROKEN } from './broken.js';
import { brokenPromises, saidBy, steady } from './steady.js';

const checkNamed = (name: string) => CHECKS.find((check) => check.name === name)!;

test('a hook that keeps every promise has nothing said about it', async () => {
  expect(await brokenPromises(steady)).toEqual([]);
});

// That no other check finds it is for proof/broken-hooks.proof.ts.
const FAULTS = BROKEN.map((broken) => [broken.fault, broken.check, broken] as const);

test.each(someOf(FAULTS, 6))(
  '%s is found by the check %s',
  async (_fault, _check, { factory, options, check, says }) => {
    expect(await saidBy(checkNamed(check), factory, options === undefined ? {} : { options })).toMatch(says);
  },
);

test('every check has a broken hook or a broken package that it finds', () => {
  // Those of the package are in broken-packages.test.ts and packed.test.ts.
  const names = new Set([...BROKEN.map(({ check }) => check), 'manifest', 'peer-range', 'packed']);
  expect(CHECKS.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
});

test('a hook may keep some tensors during a run, if it does not keep more and more', async () => {
  const window: TestedFactory<object> = () => {
    let recent: tf.Tensor[] = [];
    return {
      name: 'steady',
      onStepEnd() {
        recent.push(tf.scalar(1));
        if (recent.length > 20) recent.shift()!.dispose();
      },
      teardown() {
        tf.dispose(recent);
        recent = [];
      },
    };
  };
  expect(await saidBy(checkNamed('leaks'), window)).toBe('');
});

test('a hook that transforms is not asked to leave training as it is', async () => {
  const doubling: TestedFactory<object> = () =>
    ({
      name: 'steady',
      transformLoss: (_ctx: HookContext, { loss }: { loss: tf.Scalar }) => tf.mul(loss, 2) as tf.Scalar,
    }) as Hook;
  expect(await saidBy(checkNamed('observer'), doubling)).toBe('');
});
