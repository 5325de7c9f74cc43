import { errorOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { layers } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import { ablate, activations, patch, patchingTable, run, runWithCache, stopAt } from '../src/index.js';
import { managed, STREAM, X } from './managed.js';
import { Blocks, mlp } from './models.js';

/** Code and message of what is thrown. */
async function thrown(work: (() => unknown) | Promise<unknown>): Promise<string> {
  const { code, message } = await errorOf(work);
  return `${code}: ${message}`;
}

describe('a manager says what is wrong, and what to do about it', () => {
  test('an id that is not there, with the nearest one', async () => {
    const { manager } = managed();
    manager.registerCaptureHook('first', { id: 'hidden' });
    expect(await thrown(() => manager.getCapturedStates('hiden'))).toBe(
      'UNKNOWN_HOOK: There is no hook with the id "hiden". Did you mean "hidden"? Hooks here: hidden.',
    );
    expect(await thrown(() => managed().manager.removeHook('x'))).toContain('Hooks here: none.');
  });

  test('an id that is taken', async () => {
    const { manager } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    expect(await thrown(() => manager.registerMonitoringHook('first', { id: 'a' }))).toBe(
      'DUPLICATE_HOOK: There is already a hook with the id "a". Remove it first, or use a different id.',
    );
  });

  test.each(['getMetrics', 'getLatestMetrics', 'getFindings', 'getCapturedTensors'] as const)(
    '%s of a hook of another kind',
    async (method) => {
      const { manager } = managed({ enableIntervention: true });
      manager.registerInterventionHook('first', { id: 'change', transform: ({ output }) => output });
      expect(await thrown(() => manager[method]('change'))).toMatch(
        /^WRONG_KIND: "change" is an? intervention hook, and this needs a (monitor|debug|capture) hook\. See listHooks\(\)\.$/,
      );
    },
  );

  test('tensors that were not kept on the device', async () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    tf.dispose(run(someModel, X));
    expect(await thrown(() => manager.getCapturedTensors('a'))).toBe(
      'NOT_ON_DEVICE: Capture hook "a" does not keep tensors. ' +
        "Register it with store: 'device', or use getCapturedStates.",
    );
  });

  test('a layer of another model, and a layer object where there are only points', async () => {
    const stranger = layers.dense({ units: 1, name: 'stranger' });
    expect(await thrown(() => managed().manager.registerCaptureHook(stranger))).toBe(
      'NO_LAYER_MATCHES: The layer "stranger" is not in the model. It has: first, second, out.',
    );
    const { manager } = managed({}, new Blocks());
    expect(await thrown(() => manager.registerCaptureHook(stranger))).toBe(
      'NO_LAYER_MATCHES: The layer "stranger" is not in the model. The points of a module are chosen by path.',
    );
  });

  test('an intervention that is not allowed, and one that does nothing', async () => {
    const transform = ({ output }: { output: tf.Tensor }) => output;
    expect(
      await thrown(() => managed().manager.registerInterventionHook('first', { id: 'x', transform })),
    ).toBe(
      'INTERVENTION_DISABLED: Intervention hook "x" would change what the model computes, which is not allowed here. ' +
        'Pass enableIntervention: true to allow it.',
    );
    const { manager } = managed({ enableIntervention: true });
    expect(await thrown(() => manager.registerInterventionHook('first', { id: 'x' }))).toBe(
      'HOOK_OPTIONS: Intervention hook "x" has nothing to do: give it transform, transformInput or transformGradient.',
    );
    expect(manager.listHooks()).toEqual([]);
  });

  test('text cannot be captured, and the pass leaves nothing behind', async () => {
    const model = {
      forward: (xs: tf.Tensor, { tap }: { tap: <T>(path: string, t: T) => T }) => tap('text', xs),
    };
    const { manager } = managed({}, model as never);
    manager.registerCaptureHook('text', { id: 'a' });
    const text = tf.tensor1d(['a', 'b'], 'string');
    expect(await thrown(() => run(model as never, text))).toBe(
      'CANNOT_CAPTURE: "text" has a tensor of type string, which cannot be captured: only numbers and booleans can. ' +
        'Capture a different layer.',
    );
    text.dispose();
    expect(manager.capturedBytes).toBe(0);
  });
});

describe('a verb says what is wrong', () => {
  test('a path or a call that the cache does not have', async () => {
    const { cache, dispose } = runWithCache(mlp(), X);
    expect(await thrown(() => cache.tensor('secnd'))).toBe(
      'NOT_IN_CACHE: The cache has no "secnd". Did you mean "second"? It has: first, second, out.',
    );
    expect(await thrown(() => cache.tensor('second', 1))).toBe(
      'NOT_IN_CACHE: The cache has no call 1 of "second". It has 1, counted from 0.',
    );
    dispose();
  });

  test('a cache that would be too large', async () => {
    const { numTensors } = tf.memory();
    expect(await thrown(() => runWithCache(mlp(), X, '**', { memoryLimitMb: 40 / 2 ** 20 }))).toMatch(
      /^CACHE_TOO_LARGE: With "second" the activations take 0\.1 kB, more than memoryLimitMb allows \(0\.0 kB\)/,
    );
    expect(tf.memory().numTensors).toBe(numTensors + 6); // the weights of the model
  });

  test('a part that the activation does not have', async () => {
    const ablated = (at: { axis: number; index: number }) => () =>
      run(mlp(), X, { taps: [ablate('second', 'zero', { at })] });
    expect(await thrown(ablated({ axis: 1, index: 3 }))).toBe(
      'NO_SUCH_PART: The activation of "second" has shape [2, 3] and no position 3 along axis 1.',
    );
    expect(await thrown(ablated({ axis: 2, index: 0 }))).toContain('and no axis 2');
    const question = { clean: X, corrupted: X, metric: (output: tf.Tensor) => tf.sum(output) };
    expect(await thrown(patchingTable(mlp(), { ...question, along: 2 }))).toContain(
      'has shape [2, 4] and no axis 2 to go along. Narrow the filter.',
    );
  });

  test('a call at which the pass never stopped', async () => {
    expect(await thrown(() => stopAt(mlp(), X, 'second', { callIndex: 3 }))).toBe(
      'NEVER_CALLED: The pass ended without call 3 of second. Calls count from 0; see callIndex.',
    );
  });

  test('activations that do not fit where they are patched in', async () => {
    const clean = runWithCache(new Blocks(), STREAM, 'embed');
    const other = tf.ones([5, 4]);
    expect(await thrown(() => run(new Blocks(), other, { taps: [patch(clean.cache, 'embed')] }))).toMatch(
      /\[3,4\]|\[3, 4\]/,
    );
    clean.dispose();
    other.dispose();
  });
});

test('a hook with wrong options lists all of them at once', async () => {
  const options = { evry: 1, store: 'disk', maxCapturedStates: 0, action: 'shout', interventions: ['x'] };
  const message = await thrown(() => activations(options as never));
  expect(message).toMatch(/^HOOK_OPTIONS: Hook "activations" was given wrong options:/);
  for (const problem of [
    'unknown option "evry". Did you mean "every"?',
    '"store" must be "host" or "device" or "statistics", got "disk"',
    '"maxCapturedStates" must be a whole number of at least 1, got 0',
    '"action" must be "record" or "throw" or "break", got "shout"',
    '"interventions" must be a list of [filter, handler], such as ablate, patch and steer return',
  ]) {
    expect(message).toContain(problem);
  }
});
