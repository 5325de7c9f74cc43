import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { someOf } from '../../../testing/support/src/some-of.js';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { convCases } from './cases/conv.js';
import { elementwiseCases } from './cases/elementwise.js';
import { poolCases } from './cases/pool.js';
import { randomCases } from './cases/random.js';
import { reductionCases } from './cases/reductions.js';
import { shapeCases } from './cases/shapes.js';
import { distance, outcome } from './compare.js';

const fast = () => enableTraining({ engine: true });
const stock = () => enableTraining({ engine: false });
const numbersOf = (tensors: (tf.Tensor | null | undefined)[]) =>
  tensors.map((tensor) => tensor && [...tensor.dataSync()]);

beforeAll(async () => {
  await fast();
});

afterAll(async () => {
  await fast();
});

const x = () => tf.tensor1d([0.5, -1.5, 2]);

/** Ways to ask for gradients in which the walk over the tape could go wrong. */
const WAYS: Readonly<Record<string, () => (tf.Tensor | null | undefined)[]>> = {
  'a tensor that is used twice': () => [tf.grad((a) => tf.mul(a, a))(x())],
  'a sum of a tensor with itself': () => [tf.grad((a) => tf.add(a, a))(x())],
  'two tensors that get the same gradient': () => tf.grads((a, b) => tf.add(a!, b!))([x(), x()]),
  'a gradient that is given': () => [tf.grad((a) => tf.square(a))(x(), tf.tensor1d([1, 2, 3]))],
  'a result that is its own argument': () => [tf.grad((a) => tf.clone(a))(x())],
  'several outputs, of which one is used': () => [
    tf.grad((a) => tf.square(tf.split(a as tf.Tensor1D, 3)[1]!))(x()),
  ],
  'a chain that branches and joins': () => [
    tf.grad((a) => {
      const b = tf.sin(a);
      const c = tf.mul(b, tf.cos(b));
      return tf.sum(tf.add(tf.mul(c, b), tf.exp(b)));
    })(x()),
  ],
  'value and gradients': () => {
    const { value, grads } = tf.valueAndGrads((a, b) => tf.sum(tf.mul(a!, tf.square(b!))))([x(), x()]);
    return [value, ...grads];
  },
  'a gradient function of the user': () => {
    const double = tf.customGrad((a, save) => {
      (save as (tensors: tf.Tensor[]) => void)([a as tf.Tensor]);
      return {
        value: tf.mul(a as tf.Tensor, 2),
        gradFunc: (dy, saved) => tf.mul(dy, tf.add((saved as tf.Tensor[])[0]!, 5)) as never,
      };
    });
    return [tf.grad((a) => tf.square(double(a)))(x())];
  },
  'a gradient function of the user for its very argument': () => {
    const same = tf.customGrad((a) => ({
      value: a as tf.Tensor,
      gradFunc: (dy) => tf.mul(dy, 10) as never,
    }));
    return [tf.grad((a) => tf.sum(same(tf.square(a))))(x()), tf.grad((a) => tf.sum(same(a)))(x())];
  },
  'inside of tidies': () => [
    tf.tidy(() =>
      tf.tidy(() =>
        tf.grad((a) =>
          tf.tidy(() =>
            tf.mul(
              tf.tidy(() => tf.exp(a)),
              a,
            ),
          ),
        )(x()),
      ),
    ),
  ],
  'a tensor that is kept in the function': () => {
    let kept: tf.Tensor | undefined;
    const gradient = tf.grad((a) => {
      kept = tf.keep(tf.square(a));
      return tf.mul(kept, a);
    })(x());
    const copy = tf.clone(kept!);
    kept!.dispose();
    return [gradient, copy];
  },
  'a gradient that is kept in a gradient function': () => {
    const kept: tf.Tensor[] = [];
    const keeping = tf.customGrad((a) => ({
      value: tf.clone(a as tf.Tensor),
      gradFunc: (dy) => {
        kept.push(tf.keep(dy));
        return tf.clone(dy) as never;
      },
    }));
    const gradient = tf.grad((a) => tf.exp(keeping(tf.sin(a))))(x());
    const copies = kept.map((tensor) => tf.clone(tensor));
    tf.dispose(kept);
    return [gradient, ...copies];
  },
  'a second derivative': () => [tf.grad((a) => tf.grad((b) => tf.pow(b, 3))(a))(x())],
  'a third derivative': () => [tf.grad((a) => tf.grad((b) => tf.grad((c) => tf.pow(c, 4))(b))(a))(x())],
  'a second derivative through relu, sigmoid, tanh and softmax': () => [
    tf.grad((a) =>
      tf.grad((b) => tf.sum(tf.square(tf.softmax(tf.mul(tf.sigmoid(b), tf.tanh(tf.add(tf.relu(b), b)))))))(a),
    )(x()),
  ],
  'an inner gradient of what the outer one has computed before': () => [
    tf.grad((a) => {
      const before = tf.mul(a, tf.square(a));
      const inner = tf.grad((b) => tf.sum(tf.mul(b, tf.square(b))))(a);
      return tf.sum(tf.mul(before, inner));
    })(x()),
  ],
  'a variable that has nothing to do with it': () => {
    const [a, b] = [tf.variable(x()), tf.variable(x())];
    const { value, grads } = tf.variableGrads(() => tf.sum(tf.square(a)) as tf.Scalar, [a, b]);
    tf.dispose([a, b]);
    return [value, grads[a.name], grads[b.name]];
  },
};

describe('the engine while gradients are computed', () => {
  it.each(Object.entries(WAYS))(
    'gives the same bits as that of tfjs, and leaves nothing behind: %s',
    async (_name, run) => {
      await stock();
      const expected = await on('wasm', () => numbersOf(run()));
      await fast();
      const before = tf.memory();
      const actual = await on('wasm', () => numbersOf(run()));
      const { numTensors, numBytes, numDataBuffers } = tf.memory();
      expect(actual).toEqual(expected);
      expect({ numTensors, numBytes, numDataBuffers }).toEqual({
        numTensors: before.numTensors,
        numBytes: before.numBytes,
        numDataBuffers: before.numDataBuffers,
      });
    },
  );

  it('goes through what an outer gradient has computed, for an inner one', async () => {
    const run = () =>
      tf.grad((a) => {
        const before = tf.mul(tf.square(a), tf.sin(a));
        return tf.sum(tf.square(tf.grad((b) => tf.sum(tf.mul(before, tf.exp(b))))(a)));
      })(x());
    await stock();
    const expected = await on('wasm', () => [...run().dataSync()]);
    await fast();
    const actual = await on('wasm', () => [...run().dataSync()]);
    // In another order, so not to the bit.
    expect(distance(actual, expected)).toBeLessThan(1e-6);
  });

  it('gives the same bits for every operation of the sweep', async () => {
    const every = [
      ...convCases(),
      ...poolCases(),
      ...elementwiseCases(),
      ...reductionCases(),
      ...shapeCases(),
      ...randomCases(5, 90),
    ];
    const cases = someOf(every, Math.ceil(every.length / 4));
    await stock();
    const expected = [];
    for (const each of cases) expected.push(await outcome('wasm', each));
    await fast();
    const before = tf.memory().numTensors;
    for (const [i, each] of cases.entries())
      expect(await outcome('wasm', each), each.name).toEqual(expected[i]);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('leaves nothing behind when the function, or a gradient, throws', async () => {
    await on('wasm', () => {
      const a = x();
      const before = tf.memory().numTensors;
      const failing = () => {
        tf.exp(tf.sin(tf.mul(a, a)));
        throw new Error('in the function');
      };
      expect(() => tf.grad(failing)(a)).toThrow('in the function');
      const bad = tf.customGrad((b) => ({
        value: tf.mul(b as tf.Tensor, 2),
        gradFunc: () => {
          throw new Error('in the gradient');
        },
      }));
      expect(() => tf.grad((b) => tf.exp(tf.sin(bad(tf.exp(b)))))(a)).toThrow('in the gradient');
      expect(() => tf.grad((b) => tf.cast(tf.greater(b, 0), 'float32'))(a)).toThrow(/gradient/);
      expect(() => tf.grad(() => tf.exp(tf.ones([2])))(a)).toThrow('Cannot compute gradient of y=f(x)');
      expect(tf.memory().numTensors).toBe(before);
    });
  });

  it('says so where a second derivative leads through a layer that was computed in one operation', async () => {
    await on('wasm', () => {
      const dense = tfl.layers.dense({ units: 3, activation: 'tanh' });
      const input = tf.ones([1, 3]);
      dense.apply(input);
      const outer = (a: tf.Tensor) => {
        const before = dense.apply(a) as tf.Tensor;
        return tf.sum(tf.square(tf.grad((b) => tf.sum(tf.mul(before, b)))(a)));
      };
      expect(() => tf.grad(outer)(input)).toThrow(
        expect.objectContaining({
          code: 'NO_SECOND_GRADIENT',
          message: expect.stringContaining('layers: false'),
        }),
      );
      dense.dispose();
    });
  });

  it('needs less memory, because what is used up goes at once', async () => {
    const peak = async () => {
      await tf.setBackend('wasm');
      const model = tfl.sequential({
        layers: Array.from({ length: 8 }, (_, i) =>
          tfl.layers.dense({ units: 64, activation: 'tanh', ...(i === 0 && { inputShape: [64] }) }),
        ),
      });
      const batch = tf.ones([256, 64]);
      const before = tf.memory().numBytes;
      let most = 0;
      const watch = tf.customGrad((a) => ({
        value: tf.clone(a as tf.Tensor),
        gradFunc: (dy) => {
          most = Math.max(most, tf.memory().numBytes - before);
          return tf.clone(dy) as never;
        },
      }));
      const first = model.trainableWeights[0]!.read() as tf.Variable;
      const { value, grads } = tf.variableGrads(() => {
        const start = watch(tf.matMul(batch as tf.Tensor2D, first as unknown as tf.Tensor2D));
        return tf.mean(model.apply(start) as tf.Tensor) as tf.Scalar;
      });
      tf.dispose([value, grads, batch]);
      model.dispose();
      return most;
    };
    await stock();
    const expected = await peak();
    await fast();
    expect(await peak()).toBeLessThan(expected / 2);
  });

  it('is that of tfjs under tf.profile, and after disable()', async () => {
    await tf.setBackend('wasm');
    const names = async () => {
      const { kernelNames } = await tf.profile(() => tf.grad((a) => tf.square(a))(x()));
      return kernelNames;
    };
    expect(await names()).toContain('Identity');
    const { disable } = await fast();
    const own = ['gradients', 'clone', 'endScope', 'runKernel', 'runKernelFunc'];
    const overridden = () => own.filter((name) => Object.hasOwn(tf.engine(), name));
    expect(overridden()).toEqual(own);
    disable();
    expect(overridden()).toEqual([]);
    await fast();
  });

  it('is that of tfjs for any version but the known one', async () => {
    (await fast()).disable();
    vi.resetModules();
    vi.doMock('@tensorflow/tfjs-core', async (original) => ({
      ...(await original<typeof tf>()),
      version_core: '4.23.0',
    }));
    const { speedUpEngine } = await import('../src/engine/fast-engine.js');
    const undo = speedUpEngine();
    expect(Object.hasOwn(tf.engine(), 'gradients')).toBe(false);
    undo();
    vi.doUnmock('@tensorflow/tfjs-core');
    await fast();
    expect(Object.hasOwn(tf.engine(), 'gradients')).toBe(true);
  });

  it('can be switched on and off any number of times, and needs no more memory for that', async () => {
    await tf.setBackend('wasm');
    const { wasm } = tf.backend() as unknown as { wasm: { HEAPU8: Uint8Array } };
    const gradient = () =>
      tf.tidy(() => [
        ...tf
          .grad((a) => tf.square(a))(x())
          .dataSync(),
      ]);
    const start = wasm.HEAPU8.length;
    for (let i = 0; i < 40; i++) {
      const { disable } = await enableTraining({ engine: i % 2 === 0 });
      expect(gradient()).toEqual([1, -3, 4]);
      disable();
      disable();
      expect(gradient()).toEqual([1, -3, 4]);
    }
    expect(wasm.HEAPU8.length - start).toBeLessThan(2 ** 24);
    const { disable } = await enableTraining({ engine: false });
    await fast();
    // What was replaced has no say any more.
    disable();
    expect(Object.hasOwn(tf.engine(), 'gradients')).toBe(true);
  });
});
