import { selectBackend } from '@hookline/trainer';
import * as tf from '@tensorflow/tfjs-core';
import { model, type SymbolicTensor } from '@tensorflow/tfjs-layers';
import { describe, expect, test } from 'vitest';
import {
  type Ablation,
  ablate,
  patch,
  patchingTable,
  run,
  runWithCache,
  steer,
  stopAt,
} from '../../src/index.js';
import { leakless, SEQUENCE, STREAM, X } from '../managed.js';
import { Blocks, mixed, mlp, numbers } from '../models.js';

describe('runWithCache', () => {
  test('gives the output and every activation, as a sub-model computes them', () => {
    const someModel = mlp();
    const { output, cache, dispose } = runWithCache(someModel, X);
    expect([...cache.keys()]).toEqual(['first', 'second', 'out']);
    for (const layer of someModel.layers) {
      const sub = model({ inputs: someModel.inputs, outputs: layer.output as SymbolicTensor });
      expect(cache.get(layer.name)).toHaveLength(1);
      expect(numbers(cache.tensor(layer.name))).toEqual(numbers(sub.predict(X)));
    }
    expect(numbers(output)).toEqual(numbers(someModel.predict(X)));
    dispose();
  });

  test('keeps one tensor for each call, and all outputs of a cell', () => {
    const { cache, dispose } = runWithCache(mixed(), SEQUENCE, ['lstm/cell', 'shared', 'td/layer/*']);
    expect([...cache].map(([path, calls]) => [path, calls.length])).toEqual([
      ['td/layer/dense_1', 4],
      ['lstm/cell', 4],
      ['shared', 2],
    ]);
    expect(cache.outputs('lstm/cell', 3)).toHaveLength(3);
    expect(cache.tensor('lstm/cell', 3)).toBe(cache.get('lstm/cell')![3]);
    expect(cache.bytes).toBe(4 * (4 * 6 + 4 * 3 * 6 + 2 * 6));
    dispose();
  });

  test('works on modules of raw ops', () => {
    const module = new Blocks();
    const { output, cache, dispose } = runWithCache(module, STREAM, '**/out');
    expect([...cache.keys()]).toEqual(['block_1/out', 'block_2/out']);
    expect(numbers(tf.sum(cache.tensor('block_2/out'), 1))).toEqual(numbers(output));
    dispose();
  });

  test('leaks nothing once it is disposed, also when it fails', () => {
    const [someModel, module] = [mlp(), new Blocks()];
    leakless(() => runWithCache(someModel, X).dispose());
    leakless(() => runWithCache(module, STREAM).dispose());
    leakless(() => expect(() => runWithCache(someModel, X, 'secnd')).toThrow('Nearest: second'));
    leakless(() =>
      expect(() => runWithCache(module, STREAM, ['embed', 'block_3/out'])).toThrow('block_2/out'),
    );
    leakless(() =>
      expect(() => runWithCache(someModel, X, '**', { memoryLimitMb: 5e-5 })).toThrow(
        expect.objectContaining({
          code: 'CACHE_TOO_LARGE',
          message: expect.stringContaining('With "second"'),
        }),
      ),
    );
  });

  test('is disposed at the end of its block: the run, or the cache alone', () => {
    const module = new Blocks();
    leakless(() => {
      using cached = runWithCache(module, STREAM);
      expect(cached.cache.bytes).toBeGreaterThan(0);
    });
    leakless(() => {
      const { output, cache } = runWithCache(module, STREAM, 'embed');
      using held = cache;
      output.dispose();
      expect(numbers(held.tensor('embed'))).toEqual(numbers(STREAM));
    });
  });

  test('names what it has when asked for what it has not', () => {
    const { cache, dispose } = runWithCache(mlp(), X);
    expect(() => cache.tensor('frst')).toThrow('The cache has no "frst". Did you mean "first"?');
    expect(() => cache.tensor('first', 1)).toThrow('The cache has no call 1 of "first". It has 1');
    dispose();
  });

  test('sees what the taps of the run made', () => {
    const { cache, output, dispose } = runWithCache(mlp(), X, '**', { taps: [ablate('second')] });
    expect(numbers(cache.tensor('second'))).toEqual([0, 0, 0, 0, 0, 0]);
    expect(numbers(output)).toEqual([0, 0]);
    dispose();
  });
});

describe('patch', () => {
  test('puts the activation of one run into another', () => {
    const someModel = mlp();
    const other = tf.neg(X);
    const clean = runWithCache(someModel, X);
    const patched = run(someModel, other, { taps: [patch(clean.cache, 'second')] });
    expect(numbers(patched)).toEqual(numbers(clean.output));
    // At one sample only: the other is that of the other run.
    const half = run(someModel, other, {
      taps: [patch(clean.cache, 'second', { at: { axis: 0, index: 1 } })],
    });
    const plain = run(someModel, other);
    expect(numbers(half)).toEqual([numbers(plain)[0], numbers(clean.output)[1]]);
    clean.dispose();
  });

  test('patches the states of a cell with its output, at every step', () => {
    const someModel = mixed();
    const clean = runWithCache(someModel, SEQUENCE);
    const patched = run(someModel, tf.neg(SEQUENCE), { taps: [patch(clean.cache, 'lstm/cell')] });
    expect(numbers(patched)).toEqual(numbers(clean.output));
    clean.dispose();
  });

  test('says so when the shapes do not fit', () => {
    const someModel = mlp();
    const { cache, dispose } = runWithCache(someModel, X);
    const smaller = tf.ones([1, 3]);
    leakless(() =>
      expect(() => run(someModel, smaller, { taps: [patch(cache, 'first')] })).toThrow(
        'float32 [1, 4], by float32 [2, 4]',
      ),
    );
    dispose();
  });
});

describe('ablate', () => {
  const module = new Blocks();
  const heads = (how: Ablation, options = {}): number[] => {
    const { cache, dispose } = runWithCache(module, STREAM, 'block_1/heads', {
      taps: [ablate('block_1/heads', how, options)],
    });
    const values = numbers(cache.tensor('block_1/heads'));
    dispose();
    return values;
  };
  const plain = runWithCache(module, STREAM, 'block_1/heads').cache.tensor('block_1/heads');

  test('zeroes a whole activation, or one head of it', () => {
    expect(heads('zero')).toEqual(Array(12).fill(0));
    const secondHead = heads('zero', { at: { axis: 1, index: 1 } });
    expect(secondHead).toEqual(numbers(plain).map((value, i) => (i % 4 < 2 ? value : 0)));
    const corner = heads('zero', {
      at: [
        { axis: 0, index: [0, -1] },
        { axis: -1, index: 0 },
      ],
    });
    expect(corner).toEqual(
      numbers(plain).map((value, i) => ([0, 2].includes(Math.floor(i / 4)) && i % 2 === 0 ? 0 : value)),
    );
  });

  test('puts the mean of the batch, or of another run, in place', () => {
    const mean = numbers(tf.mean(plain, 0));
    expect(heads('mean')).toEqual([...mean, ...mean, ...mean]);
    const usual = runWithCache(module, tf.ones([5, 4]));
    const other = numbers(tf.mean(usual.cache.tensor('block_1/heads'), 0));
    expect(heads('mean', { from: usual.cache })).toEqual([...other, ...other, ...other]);
    usual.dispose();
  });

  test('puts noise in place that is like the activation and the same for the same seed', () => {
    const noise = heads('noise', { seed: 7 });
    expect(noise).toEqual(heads('noise', { seed: 7 }));
    expect(noise).not.toEqual(heads('noise', { seed: 8 }));
    const large = mlp();
    const xs = tf.randomNormal([2000, 3], 5, 2, 'float32', 1);
    const { cache } = runWithCache(large, xs, 'first', { taps: [ablate('first', 'noise')] });
    const before = runWithCache(large, xs, 'first').cache;
    const [a, b] = [cache, before].map((each) => tf.moments(each.tensor('first')));
    expect(numbers(a!.mean)[0]).toBeCloseTo(numbers(b!.mean)[0]!, 0);
    expect(numbers(a!.variance)[0]! / numbers(b!.variance)[0]!).toBeCloseTo(1, 1);
  });

  test('names the part that is not there', () => {
    expect(() => heads('zero', { at: { axis: 1, index: 2 } })).toThrow(
      'The activation of "block_1/heads" has shape [3, 2, 2] and no position 2 along axis 1.',
    );
    expect(() => heads('zero', { at: { axis: 3, index: 0 } })).toThrow('no axis 3');
  });
});

describe('steer', () => {
  test('adds a vector to every sample, as often as it is told', () => {
    const someModel = mlp();
    const [, , out] = someModel.layers;
    const second = runWithCache(someModel, X).cache.tensor('second');
    const direction = tf.tensor1d([1, 0, -1]);
    const expected = numbers(out!.apply(tf.add(second, tf.mul(direction, -3))));
    for (const vector of [direction, [1, 0, -1]]) {
      expect(numbers(run(someModel, X, { taps: [steer('second', vector, { strength: -3 })] }))).toEqual(
        expected,
      );
    }
    const first = run(someModel, X, {
      taps: [steer('second', [1, 0, -1], { strength: -3, at: { axis: 0, index: 0 } })],
    });
    expect(numbers(first)).toEqual([expected[0], numbers(run(someModel, X))[1]]);
    expect(direction.isDisposed).toBe(false);
  });

  test('passes gradients, which agree with finite differences in the vector', () => {
    const module = new Blocks();
    const loss = (vector: tf.Tensor): tf.Scalar =>
      tf.sum(tf.square(run(module, STREAM, { taps: [steer('block_1/out', vector)] })));
    const at = [0.1, -0.3, 0.2, 0.5];
    const gradient = numbers(tf.grad(loss)(tf.tensor1d(at)));
    at.forEach((value, i) => {
      const [above, below] = [1e-2, -1e-2].map(
        (by) => numbers(loss(tf.tensor1d(at.with(i, value + by))))[0]!,
      );
      expect((above! - below!) / 2e-2).toBeCloseTo(gradient[i]!, 1);
    });
  });
});

describe('stopAt', () => {
  test('returns the output of the layer and computes nothing after it', () => {
    const someModel = mlp();
    const features = stopAt(someModel, X, 'first');
    expect(numbers(features)).toEqual(numbers(runWithCache(someModel, X).cache.tensor('first')));
    let after = 0;
    const counted = stopAt(someModel, X, 'first', { taps: [['second', () => void after++]] });
    expect(after).toBe(0);
    tf.dispose([features, counted]);
    leakless(() => stopAt(someModel, X, 'second'));
  });

  test('stops at a later step of a sequence, and inside a module', () => {
    const someModel = mixed();
    const step = stopAt(someModel, SEQUENCE, 'lstm/cell', { callIndex: 2 });
    expect(numbers(step)).toEqual(numbers(runWithCache(someModel, SEQUENCE).cache.tensor('lstm/cell', 2)));
    expect(() => stopAt(someModel, SEQUENCE, 'lstm/cell', { callIndex: 4 })).toThrow(
      'without call 4 of lstm/cell',
    );
    const module = new Blocks();
    expect(numbers(stopAt(module, STREAM, 'embed'))).toEqual(numbers(STREAM));
    leakless(() => stopAt(module, STREAM, 'block_1/heads'));
    expect(() => stopAt(module, STREAM, 'blok')).toThrow('No point of the model matches "blok"');
  });

  test('returns what earlier taps made of it', () => {
    const stopped = stopAt(new Blocks(), STREAM, 'block_1/out', { taps: [ablate('block_1/heads')] });
    expect(numbers(stopped)).toEqual(numbers(STREAM));
  });

  test('passes the errors of others on', () => {
    const boom = () => {
      throw new Error('boom');
    };
    expect(() => stopAt(mlp(), X, 'second', { taps: [['first', boom]] })).toThrow('boom');
  });
});

test('on wasm the verbs give what they give on cpu, gradients included', async () => {
  const results: number[][] = [];
  for (const backend of ['cpu', 'wasm']) {
    await selectBackend({ backend, root: '.' });
    const module = new Blocks();
    const x = tf.tensor2d([
      [1, -1, 0.5, 2],
      [0.3, 1, 2, -1],
    ]);
    const { cache } = runWithCache(module, x);
    const at = { axis: 1, index: 1 };
    const changes = [
      patch(cache, 'block_1/heads', { at }),
      ...(['zero', 'mean', 'noise'] as const).map((how) => ablate('block_1/heads', how, { at })),
      steer('block_1/out', [1, 2, 3, 4], { at: { axis: 0, index: -1 } }),
    ];
    const outputs = changes.map((change) => numbers(run(module, tf.neg(x), { taps: [change] })));
    const { grads } = tf.variableGrads(() => tf.sum(run(module, x, { taps: changes.slice(2) })));
    const metric = (output: tf.Tensor) => tf.sum(output);
    const table = await patchingTable(module, {
      clean: x,
      corrupted: tf.neg(x),
      metric,
      filter: '**/heads',
      along: 1,
    });
    results.push([
      ...outputs.flat(),
      ...Object.values(grads).flatMap(numbers),
      ...numbers(stopAt(module, x, 'block_2/heads')),
      ...table.rows.map(({ effect }) => effect),
    ]);
  }
  await tf.setBackend('cpu');
  expect(results[0]!.length).toBe(results[1]!.length);
  results[0]!.forEach((value, i) => {
    expect(results[1]![i]).toBeCloseTo(value, 4);
  });
});

test('run gives outputs that are the caller’s, also inputs and variables that the model hands through', () => {
  const someModel = mixed();
  const variable = tf.variable(tf.scalar(1));
  const through = {
    parameters: () => ({ variable }),
    forward: (xs: tf.Tensor) => ({ xs, variable, sum: tf.add(xs, variable) }),
  };
  leakless(() => run(someModel, SEQUENCE));
  leakless(() => {
    const outputs = run<Record<string, tf.Tensor>>(through, X);
    expect(numbers(outputs.sum)).toEqual(numbers(X).map((value) => value + 1));
    return outputs;
  });
  expect([X.isDisposed, variable.isDisposed]).toEqual([false, false]);
});
