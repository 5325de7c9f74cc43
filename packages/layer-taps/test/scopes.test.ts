import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { forward, layerPaths, type TapHandler, tap, withTaps } from '../src/index.js';
import { mlp, zoo } from './models.js';

const X = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);

const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());
const zero: TapHandler = ({ output }) => tf.zerosLike(output);

const isUntouched = (someModel: ReturnType<typeof mlp>): boolean =>
  [...layerPaths(someModel).values()].every((layer) => !Object.hasOwn(layer, 'call'));

describe('withTaps', () => {
  it('has the taps in place while the function runs, and not afterwards', () => {
    const someModel = mlp();
    const plain = numbers(someModel.predict(X));
    const zeroed = withTaps(someModel, [['dense_3', zero]], () => numbers(someModel.predict(X)));
    expect(zeroed).toEqual([0, 0]);
    expect(numbers(someModel.predict(X))).toEqual(plain);
    expect(isUntouched(someModel)).toBe(true);
  });

  it('keeps them until an async function has settled', async () => {
    const someModel = mlp();
    const zeroed = withTaps(someModel, [['dense_3', zero]], async () => {
      await new Promise(setImmediate);
      return numbers(someModel.predict(X));
    });
    expect(isUntouched(someModel)).toBe(false);
    expect(await zeroed).toEqual([0, 0]);
    expect(isUntouched(someModel)).toBe(true);
  });

  it('takes them away when the function throws or rejects', async () => {
    const someModel = mlp();
    const boom = (): never => {
      throw new Error('boom');
    };
    expect(() => withTaps(someModel, [['dense_3', zero]], boom)).toThrow('boom');
    expect(isUntouched(someModel)).toBe(true);
    await expect(
      withTaps(someModel, [['dense_3', zero]], async () => {
        await new Promise(setImmediate);
        boom();
      }),
    ).rejects.toThrow('boom');
    expect(isUntouched(someModel)).toBe(true);
  });

  it('adds all taps or none', () => {
    const someModel = mlp();
    expect(() =>
      withTaps(
        someModel,
        [
          ['dense_1', zero],
          ['dens_2', zero],
        ],
        () => expect.fail('ran'),
      ),
    ).toThrow('dens_2');
    expect(isUntouched(someModel)).toBe(true);
  });

  it('in withTaps removes only its own', () => {
    const someModel = mlp();
    const addOne: TapHandler = ({ output }) => tf.add(output, 1);
    withTaps(someModel, [['dense_3', zero]], () => {
      withTaps(someModel, [['dense_3', addOne]], () => {
        expect(numbers(someModel.predict(X))).toEqual([1, 1]);
      });
      expect(numbers(someModel.predict(X))).toEqual([0, 0]);
    });
  });

  it('of two async scopes that end in the order they began each remove their own', async () => {
    const someModel = mlp();
    const log: string[] = [];
    const scope = (name: string, ticks: number) =>
      withTaps(someModel, [['dense_1', () => void log.push(name)]], async () => {
        for (let i = 0; i < ticks; i++) await new Promise(setImmediate);
      });
    const [first, second] = [scope('first', 1), scope('second', 3)];
    someModel.predict(X);
    await first;
    someModel.predict(X);
    await second;
    someModel.predict(X);
    expect(log).toEqual(['first', 'second', 'second']);
  });
});

describe('handlers that go wrong or go away', () => {
  it.each<[string, (remove: () => void) => TapHandler]>([
    [
      'throw',
      () =>
        ({ output }) => {
          tf.mul(output, 2);
          throw new Error('boom');
        },
    ],
    [
      'replace',
      () =>
        ({ outputs }) =>
          outputs.map((output) => tf.mul(tf.add(output, 1), 2)),
    ],
    [
      'hand over a tensor of theirs',
      () => {
        const mine = new Map<string, tf.Tensor>();
        return ({ path, output, outputs: [, ...others] }) => {
          if (!mine.has(path)) mine.set(path, tf.keep(tf.onesLike(output)));
          return [mine.get(path)!, ...others];
        };
      },
    ],
    [
      'remove themselves',
      (remove) =>
        ({ output }) => {
          remove();
          tf.mul(output, 2);
        },
    ],
  ])('that %s leak no tensor', (_what, handlerFor) => {
    const someModel = zoo();
    const x = tf.ones([1, 5, 6]);
    const runAll = (): void => {
      for (const runOne of [
        () => tf.dispose(someModel.predict(x)),
        () => tf.dispose(tf.tidy(() => forward(someModel, x, { training: true })) as tf.Tensor),
      ]) {
        try {
          runOne();
        } catch (error) {
          expect((error as Error).message).toBe('boom');
        }
      }
    };
    const paths = ['td/layer', 'lstm_1/cell', 'encoder/dense_1', 'dense_1', 'out'];
    for (const path of paths) {
      let remove = () => {};
      const handler = handlerFor(() => remove());
      remove = tap(someModel, path, handler).remove;
      runAll(); // what a handler keeps, it keeps now
      const before = tf.memory().numTensors;
      for (let i = 0; i < 3; i++) runAll();
      remove();
      expect(tf.memory().numTensors, path).toBe(before);
    }
  });
});

describe('two models', () => {
  it('that run interleaved, one inside a handler of the other, keep to their own taps', () => {
    const [a, b] = [mlp(), mlp()];
    const [plainA, plainB] = [a, b].map((someModel) => numbers(someModel.predict(X)));
    const seen: string[] = [];
    let inner: number[] = [];
    const taps = [
      tap(a, 'dense_*', ({ path, callIndex }) => {
        seen.push(`a ${path} ${callIndex}`);
        if (path === 'dense_1') inner = numbers(b.predict(X));
      }),
      tap(b, 'dense_3', ({ path, callIndex }) => void seen.push(`b ${path} ${callIndex}`)),
    ];
    expect(numbers(a.predict(X))).toEqual(plainA);
    expect(inner).toEqual(plainB);
    expect(seen).toEqual(['a dense_1 0', 'b dense_3 0', 'a dense_2 0', 'a dense_3 0']);
    for (const each of taps) each.remove();
  });
});
