import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { forward, type ModuleOptions, tap, withTaps } from '../src/index.js';
import { mlp } from './models.js';

/** Two blocks, each with a point that is passed twice; the residual stream goes through `block_n/out`. */
class Blocks {
  readonly weight: tf.Variable = tf.variable(tf.tensor2d([0.5, -0.2, 0.1, 0.3], [2, 2]));

  block(name: string, x: tf.Tensor, { tap: point }: ModuleOptions): tf.Tensor {
    let h = x;
    for (let i = 0; i < 2; i++) h = point(`${name}/mul`, tf.tanh(tf.matMul(h as tf.Tensor2D, this.weight)));
    return point(`${name}/out`, tf.add(x, h));
  }

  forward(xs: tf.Tensor, options: ModuleOptions): tf.Tensor {
    return ['block_1', 'block_2'].reduce((h, name) => this.block(name, h, options), xs);
  }
}

const X = tf.tensor2d([[1, 2]]);
const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());
const run = (module: Blocks): number[] => tf.tidy(() => numbers(forward(module, X)));

describe('the points of a module', () => {
  it('are tapped by the paths that its forward gives them', () => {
    const module = new Blocks();
    const seen: [string, number, boolean, number[]][] = [];
    const all = tap(module, '**', ({ path, callIndex, training, output, inputs, layer }) => {
      seen.push([path, callIndex, training, numbers(output)]);
      expect([inputs, layer]).toEqual([[], undefined]);
    });
    run(module);
    tf.tidy(() => forward(module, X, { training: true }));
    expect(all.paths).toEqual(['block_1/mul', 'block_1/out', 'block_2/mul', 'block_2/out']);
    all.remove();
    const places = ['mul 0', 'mul 1', 'out 0'];
    const expected = [1, 2].flatMap((n) => places.map((place) => `block_${n}/${place}`));
    expect(seen.map(([path, callIndex]) => `${path} ${callIndex}`)).toEqual([...expected, ...expected]);
    expect(seen.map(([, , training]) => training)).toEqual([...Array(6).fill(false), ...Array(6).fill(true)]);
    // Against a computation without the module.
    const once = tf.tanh(tf.matMul(X, module.weight as never));
    const twice = tf.tanh(tf.matMul(once as tf.Tensor2D, module.weight as never));
    expect(seen.slice(0, 3).map(([, , , values]) => values)).toEqual(
      [once, twice, tf.add(X, twice)].map(numbers),
    );
  });

  it('can be replaced, and their gradient seen and rewritten', () => {
    const module = new Blocks();
    const plain = run(module);
    const skipped = withTaps(module, [['block_2/mul', ({ output }) => tf.zerosLike(output)]], () => {
      let stream: number[] = [];
      return withTaps(
        module,
        [
          [
            'block_1/out',
            ({ output }) => {
              stream = numbers(output);
            },
          ],
        ],
        () => [run(module), stream],
      );
    });
    expect(skipped[0]).toEqual(skipped[1]);
    expect(run(module)).toEqual(plain);

    const gradient = (): number[] => {
      const { grads } = tf.variableGrads(() => tf.sum(forward(module, X) as tf.Tensor));
      return numbers(grads[module.weight.name]);
    };
    const whole = gradient();
    const seen: number[][] = [];
    const half = withTaps(
      module,
      [
        [
          'block_2/out',
          {
            gradient: ({ gradient: dy }) => {
              seen.push(numbers(dy));
              return tf.mul(dy, 0.5);
            },
          },
        ],
      ],
      gradient,
    );
    expect(seen).toEqual([[1, 1]]);
    expect(half).toEqual(whole.map((value) => value * 0.5));
    // A handler that puts something differentiable in place, against finite differences.
    withTaps(module, [['**/mul', ({ output }) => tf.sin(output)]], () => {
      const analytic = gradient();
      const values = numbers(module.weight);
      const lossWith = (position: number, value: number): number => {
        module.weight.assign(tf.tensor2d(values.with(position, value), [2, 2]));
        return run(module).reduce((a, b) => a + b);
      };
      values.forEach((value, i) => {
        const slope = (lossWith(i, value + 1e-2) - lossWith(i, value - 1e-2)) / 2e-2;
        expect(Math.abs(slope - analytic[i]!)).toBeLessThan(1e-2);
      });
      module.weight.assign(tf.tensor2d(values, [2, 2]));
    });
  });

  it('that nobody named are an error when the first pass ends, with the nearest names', () => {
    const module = new Blocks();
    expect(() => withTaps(module, [['blok_2/out', () => {}]], () => run(module))).toThrow(
      expect.objectContaining({
        code: 'NO_LAYER_MATCHES',
        message:
          'No point of the model matches "blok_2/out". Nearest: block_2/out, block_1/out, block_2/mul. Its forward passed 4 points.',
      }),
    );
    expect(() => withTaps(module, [[['block_1/out', /head/], () => {}]], () => run(module))).toThrow(
      '/head/',
    );
    const silent = { forward: (xs: tf.Tensor) => tf.neg(xs) };
    expect(() => withTaps(silent, [['**', () => {}]], () => forward(silent, X))).toThrow(
      'named no point to tap',
    );
    const optional = tap(module, 'nothing', () => {}, { optional: true });
    expect(() => run(module)).not.toThrow();
    optional.remove();
  });

  it('have no inputs to replace', () => {
    expect(() => tap(new Blocks(), '**', { input: () => {} })).toThrow(
      expect.objectContaining({ code: 'BAD_HANDLER', message: expect.stringContaining('no inputs') }),
    );
  });

  it('are seen by whoever runs the module as the taps left them', () => {
    const module = new Blocks();
    const outside: number[][] = [];
    const tapped = tap(module, 'block_1/out', ({ output }) => tf.zerosLike(output));
    module.forward(X, {
      training: false,
      tap: (path, output) => {
        if (path === 'block_1/out') outside.push(numbers(output));
        return output;
      },
    });
    tapped.remove();
    expect(outside).toEqual([[0, 0]]);
  });

  it('of a module inside another module are tapped on either', () => {
    const inner = new Blocks();
    const outer = {
      forward: (xs: tf.Tensor, options: ModuleOptions) => options.tap('last', inner.forward(xs, options)),
    };
    const seen: string[] = [];
    const log = (who: string) =>
      tap(who === 'inner' ? inner : outer, /out|last/, ({ path }) => void seen.push(`${who} ${path}`));
    // Each entry must match something: the inner one has no `last`.
    const taps = [log('inner'), log('outer')];
    forward(outer, X);
    for (const each of taps) each.remove();
    expect(seen).toEqual([
      'inner block_1/out',
      'outer block_1/out',
      'inner block_2/out',
      'outer block_2/out',
      'outer last',
    ]);
  });

  it('leave nothing behind on the module', () => {
    const module = new Blocks();
    const taps = [tap(module, '**', () => {}), tap(module, '**', () => {})];
    expect(Object.keys(module)).toEqual(['weight']);
    taps[0]!.remove();
    expect(Object.hasOwn(module, 'forward')).toBe(true);
    taps[1]!.remove();
    expect(Object.hasOwn(module, 'forward')).toBe(false);
    const plain = { forward: (xs: tf.Tensor) => xs };
    const { forward: own } = plain;
    const tapped = tap(plain, '**', () => {}, { optional: true });
    expect(Object.keys(plain)).toEqual(['forward']);
    tapped.remove();
    expect(plain.forward).toBe(own);
  });

  it('belong to one pass with the layers that the module calls', () => {
    const inside = mlp();
    const module = {
      forward: (xs: tf.Tensor, { tap: point }: ModuleOptions): tf.Tensor => {
        const twice = [1, 2].map(() => inside.apply(xs) as tf.Tensor);
        return point('sum', tf.add(twice[0]!, twice[1]!));
      },
    };
    const passes = new Set<number>();
    const indices: number[] = [];
    const taps = [
      tap(module, 'sum', ({ pass }) => void passes.add(pass)),
      tap(inside, 'dense_1', ({ pass, callIndex }) => {
        passes.add(pass);
        indices.push(callIndex);
      }),
    ];
    const x = tf.ones([1, 3]);
    forward(module, x);
    expect([passes.size, indices]).toEqual([1, [0, 1]]);
    forward(module, x);
    expect([passes.size, indices]).toEqual([2, [0, 1, 0, 1]]);
    for (const each of taps) each.remove();
  });
});
