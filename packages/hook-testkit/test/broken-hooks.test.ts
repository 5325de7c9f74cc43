import type { Hook, HookContext } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { runChecks } from '../src/check-hook.js';
import { CHECKS } from '../src/checks.js';
import { Subject, type TestedFactory } from '../src/subject.js';
import { BROKEN } from './broken.js';
import { brokenPromises, steady, steadyPackage } from './steady.js';

test('a hook that keeps every promise has nothing said about it', async () => {
  expect(await brokenPromises(steady)).toEqual([]);
});

// That no other check finds it is for proof/broken-hooks.proof.ts.
test.each(BROKEN.map((broken) => [broken.fault, broken.check, broken] as const))(
  '%s is found by the check %s',
  async (_fault, _check, { factory, options, check, says }) => {
    const [found] = await problemsIn(check, factory as TestedFactory<object>, options);
    expect(found?.problems.join('\n')).toMatch(says);
  },
);

/** What one check says. */
function problemsIn(check: string, factory: TestedFactory<object>, options = {}) {
  const file = steadyPackage();
  const surroundings = { testFile: () => file, importModule: (path: string) => import(path) };
  const subject = new Subject(factory as TestedFactory, { options }, surroundings);
  return runChecks(
    subject,
    CHECKS.filter(({ name }) => name === check),
  );
}

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
  expect(await problemsIn('leaks', window)).toEqual([]);
});

test('a hook that transforms is not asked to leave training as it is', async () => {
  const doubling: TestedFactory<object> = () =>
    ({
      name: 'steady',
      transformLoss: (_ctx: HookContext, { loss }: { loss: tf.Scalar }) => tf.mul(loss, 2) as tf.Scalar,
    }) as Hook;
  expect(await problemsIn('observer', doubling)).toEqual([]);
});
