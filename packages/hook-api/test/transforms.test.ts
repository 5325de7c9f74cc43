import { describe, expect, test } from 'vitest';
import {
  every,
  type GradientChanges,
  type Gradients,
  type GradientsEvent,
  type Hook,
  HookManager,
  type LossEvent,
} from '../src/index.js';
import { type TestRun, testRun } from './test-context.js';

/** Stands for a tensor: the manager only passes them on. */
const tensor = (name: string) => name as never;

const given: GradientsEvent = { step: 3, gradients: { kernel: tensor('k'), bias: tensor('b') } };

/** Paths that a hook leaves out keep their gradients. */
const merge = (event: GradientsEvent, result: GradientChanges): GradientsEvent => ({
  ...event,
  gradients: { ...event.gradients, ...(result as Gradients) },
});

async function started(...hooks: Hook[]): Promise<{ manager: HookManager; run: TestRun }> {
  const manager = new HookManager();
  const run = testRun();
  for (const hook of hooks) manager.add(hook);
  await manager.setup('fit', run.contextFor);
  return { manager, run };
}

const appending = (name: string, path: string): Hook => ({
  name,
  transformGradients: (_, { gradients }) => ({ [path]: tensor(`${gradients[path]}+${name}`) }),
});

describe('the loss', () => {
  const loss = (value: string): LossEvent => ({
    batch: {} as never,
    batchIndex: 0,
    loaderIndex: 0,
    loaderName: 'train',
    loss: tensor(value),
    outputs: tensor('outputs'),
  });
  const replaced = (event: LossEvent, result: LossEvent['loss']): LossEvent => ({ ...event, loss: result });

  test('is what the last hook made of it, and each sees the outputs', async () => {
    const { manager } = await started(
      { name: 'penalty', transformLoss: (_, event) => tensor(`${event.loss}+penalty(${event.outputs})`) },
      { name: 'watcher', transformLoss: () => undefined },
      { name: 'scale', transformLoss: (_, event) => tensor(`2*(${event.loss})`) },
    );
    const event = manager.transform('transformLoss', loss('mse'), replaced);
    expect(event.loss).toBe('2*(mse+penalty(outputs))');
  });

  test('cannot be promised: the tape does not wait, and the run ends', async () => {
    const { manager } = await started({ name: 'slow', transformLoss: (async () => tensor('x')) as never });
    expect(() => manager.transform('transformLoss', loss('mse'), replaced)).toThrowError(
      expect.objectContaining({ code: 'SYNC_EVENT', message: expect.stringContaining('transformLoss') }),
    );
  });

  test('is not replaced in part: an error of one hook ends the run', async () => {
    const { manager } = await started({
      name: 'broken',
      transformLoss: () => {
        throw new Error('shapes differ');
      },
    });
    expect(() => manager.transform('transformLoss', loss('mse'), replaced)).toThrow('shapes differ');
  });
});

describe('transform', () => {
  test('without a hook gives back what it was given, itself', async () => {
    const { manager } = await started({ name: 'a', onStepEnd() {} });
    expect(manager.transform('transformGradients', given, merge)).toBe(given);
  });

  test('is the identity for a hook that returns undefined', async () => {
    const { manager } = await started(
      { name: 'a', transformGradients: () => undefined },
      { name: 'b', transformGradients: async () => undefined },
    );
    expect(await manager.transform('transformGradients', given, merge)).toBe(given);
  });

  test("feeds each hook's result to the next, joined by `accept`", async () => {
    const { manager } = await started(
      appending('a', 'kernel'),
      appending('b', 'kernel'),
      appending('c', 'bias'),
    );
    expect(manager.transform('transformGradients', given, merge)).toEqual({
      step: 3,
      gradients: { kernel: 'k+a+b', bias: 'b+c' },
    });
    expect(given.gradients).toEqual({ kernel: 'k', bias: 'b' });
  });

  test('calls `accept` with the payload so far and the result, once for each replacement', async () => {
    const accepted: unknown[] = [];
    const { manager } = await started(
      appending('a', 'kernel'),
      { name: 'silent', transformGradients: () => undefined },
      appending('b', 'bias'),
    );
    manager.transform('transformGradients', given, (event, result) => {
      accepted.push([event.gradients, result]);
      return merge(event, result);
    });
    expect(accepted).toEqual([
      [{ kernel: 'k', bias: 'b' }, { kernel: 'k+a' }],
      [{ kernel: 'k+a', bias: 'b' }, { bias: 'b+b' }],
    ]);
  });

  test('stays synchronous without a promise, and otherwise waits for each in turn', async () => {
    const slow: Hook = {
      name: 'slow',
      transformGradients: async (_, { gradients }) => {
        await Promise.resolve();
        return { kernel: tensor(`${gradients.kernel}+slow`) };
      },
    };
    const { manager } = await started(appending('a', 'kernel'), slow, appending('z', 'kernel'));
    const result = manager.transform('transformGradients', given, merge);
    expect(result).toBeInstanceOf(Promise);
    expect((await result).gradients.kernel).toBe('k+a+slow+z');
  });

  test('leaves out hooks that are not due', async () => {
    const { manager, run } = await started({
      name: 'a',
      transformGradients: every({ steps: 2 }, () => ({ kernel: tensor('new') })),
    });
    run.state.step = 1;
    expect(manager.due('transformGradients')).toBe(false);
    expect(manager.transform('transformGradients', given, merge)).toBe(given);
    run.state.step = 2;
    expect(manager.due('transformGradients')).toBe(true);
    expect(manager.transform('transformGradients', given, merge)).toMatchObject({
      gradients: { kernel: 'new' },
    });
  });

  test('can be for some of the hooks only', async () => {
    const { manager } = await started(appending('a', 'kernel'), appending('b', 'kernel'));
    const result = manager.transform('transformGradients', given, merge, ({ name }) => name === 'b');
    expect(result).toMatchObject({ gradients: { kernel: 'k+b' } });
  });
});

describe('a transform that fails', () => {
  const error = new Error('oops');

  test.each([
    [
      'throws',
      (): never => {
        throw error;
      },
    ],
    ['rejects', () => Promise.reject(error)],
  ])('ends the run with that very error when it %s', async (_, transformGradients) => {
    const later: string[] = [];
    const { manager, run } = await started(
      { name: 'broken', transformGradients },
      { name: 'later', transformGradients: () => void later.push('called') as undefined },
    );
    const transform = async () => manager.transform('transformGradients', given, merge);
    await expect(transform()).rejects.toBe(error);
    expect(later).toEqual([]);
    expect(run.lines).toMatchObject([
      { hook: 'broken', message: 'Hook "broken" failed in transformGradients at step 0: oops' },
    ]);
  });

  test('ends the run too when its result is not acceptable', async () => {
    for (const transformGradients of [() => ({}), async () => ({})]) {
      const { manager, run } = await started({ name: 'wrong', transformGradients });
      const transform = async () =>
        manager.transform('transformGradients', given, () => {
          throw error;
        });
      await expect(transform()).rejects.toBe(error);
      expect(run.lines).toMatchObject([{ hook: 'wrong' }]);
    }
  });
});
