import * as tf from '@tensorflow/tfjs-core';
import { type LayersModel, layers, sequential } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { type TapGradientEvent, type TapHandlers, tap, withTaps } from '../src/index.js';
import { mlp, zoo } from './models.js';

const X = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);

const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());

const lossOf = (someModel: LayersModel, x: tf.Tensor): tf.Scalar =>
  tf.sum(tf.square(someModel.apply(x, { training: true }) as tf.Tensor)) as tf.Scalar;

/** Gradients of all weights, by position in the model. */
function gradients(someModel: LayersModel, x: tf.Tensor = X): number[][] {
  const { grads } = tf.variableGrads(() => lossOf(someModel, x));
  return someModel.trainableWeights.map((weight) => numbers(grads[weight.name]));
}

/** By finite differences, in every weight. */
function slopes(someModel: LayersModel, x: tf.Tensor, step = 5e-3): number[][] {
  return someModel.trainableWeights.map((weight) => {
    const values = numbers(weight.read());
    const lossWith = (position: number, value: number): number => {
      weight.write(tf.tensor(values.with(position, value), weight.shape as number[]));
      return tf.tidy(() => lossOf(someModel, x).dataSync()[0]!);
    };
    const found = values.map(
      (value, i) => (lossWith(i, value + step) - lossWith(i, value - step)) / (2 * step),
    );
    weight.write(tf.tensor(values, weight.shape as number[]));
    return found;
  });
}

function expectClose(actual: number[][], expected: number[][], tolerance: number): void {
  actual.flat().forEach((value, i) => {
    const other = expected.flat()[i]!;
    expect(Math.abs(value - other)).toBeLessThan(tolerance * (1 + Math.abs(value)));
  });
}

describe('the gradient of a tap', () => {
  it('is that of the loss with respect to the output', () => {
    const someModel = mlp();
    const events: TapGradientEvent[] = [];
    let seen: number[] = [];
    let activation: tf.Tensor | undefined;
    const tapped = tap(someModel, 'dense_1', {
      output: ({ output }) => {
        activation = tf.keep(output.clone());
      },
      gradient: (event) => {
        events.push(event);
        seen = numbers(event.gradient);
      },
    });
    gradients(someModel);
    tapped.remove();
    const restOf = (h: tf.Tensor) =>
      someModel.layers.slice(1).reduce((value, layer) => layer.apply(value) as tf.Tensor, h);
    expect(seen).toEqual(numbers(tf.grad((h) => tf.sum(tf.square(restOf(h))))(activation!)));
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ path: 'dense_1', training: true, callIndex: 0, outputIndex: 0 });
  });

  it('changes nothing, to the bit, when the handler only looks', () => {
    const someModel = zoo();
    const x = tf.randomNormal([2, 5, 6], 0, 1, 'float32', 7);
    const plain = gradients(someModel, x);
    let calls = 0;
    const watched = withTaps(someModel, [['**', { gradient: () => void calls++ }]], () =>
      gradients(someModel, x),
    );
    expect(watched).toEqual(plain);
    expect(calls).toBeGreaterThan(50);
  });

  it('can be replaced: everything before the tap learns from it, everything after as before', () => {
    const someModel = mlp();
    const plain = gradients(someModel);
    const doubled = withTaps(
      someModel,
      [['dense_2', { gradient: ({ gradient }) => tf.mul(gradient, 2) }]],
      () => gradients(someModel),
    );
    const twice = plain.map((values, i) => (i < 4 ? values.map((value) => value * 2) : values));
    expect(doubled).toEqual(twice);
    const cut = withTaps(
      someModel,
      [['dense_2', { gradient: ({ gradient }) => tf.zerosLike(gradient) }]],
      () => gradients(someModel),
    );
    expect(
      cut
        .slice(0, 4)
        .flat()
        .every((value) => value === 0),
    ).toBe(true);
    expect(cut.slice(4)).toEqual(plain.slice(4));
  });

  it('feeds the tap before it: the last tap hears first', () => {
    const someModel = mlp();
    const heard: [string, number][] = [];
    const first = tap(someModel, 'dense_3', {
      gradient: ({ gradient }) => void heard.push(['first', numbers(gradient)[0]!]),
    });
    const second = tap(someModel, 'dense_3', {
      gradient: ({ gradient }) => {
        heard.push(['second', numbers(gradient)[0]!]);
        return tf.mul(gradient, 3);
      },
    });
    gradients(someModel);
    first.remove();
    second.remove();
    expect(heard.map(([name]) => name)).toEqual(['second', 'first']);
    expect(heard[1]![1]).toBe(Math.fround(heard[0]![1] * 3));
  });

  it('comes for each output and each step of an RNN cell', () => {
    const someModel = zoo();
    const heard: string[] = [];
    withTaps(
      someModel,
      [
        [
          'lstm_1/cell',
          { gradient: ({ callIndex, outputIndex }) => void heard.push(`${callIndex}.${outputIndex}`) },
        ],
      ],
      () => gradients(someModel, tf.ones([1, 5, 6])),
    );
    // Of the last step only the output is used, and each step's states by the next.
    expect(new Set(heard)).toEqual(new Set(['4.0', ...[0, 1, 2, 3].flatMap((t) => [`${t}.1`, `${t}.2`])]));
  });

  it('is not called without a backward pass, and costs nothing then', () => {
    const someModel = mlp();
    let output: tf.Tensor | undefined;
    let passed: tf.Tensor | undefined;
    withTaps(
      someModel,
      [
        [
          'dense_1',
          {
            output: (event) => {
              output = event.output;
            },
            gradient: () => expect.fail('called'),
          },
        ],
        [
          'dense_1',
          ({ output: after }) => {
            passed = after;
          },
        ],
      ],
      () => someModel.predict(X),
    );
    expect(passed).toBe(output);
  });

  it('that does not fit is an error', () => {
    const someModel = mlp();
    const wrong: TapHandlers = { gradient: () => tf.ones([2, 5]) };
    expect(() => withTaps(someModel, [['dense_1', wrong]], () => gradients(someModel))).toThrow(
      'The tap on "dense_1" replaced gradient 0, float32 [2, 4], by float32 [2, 5].',
    );
  });

  it('leaks no tensor, whether it looks or replaces', () => {
    const someModel = mlp();
    const run = (): void => {
      const { value, grads } = tf.variableGrads(() => lossOf(someModel, X));
      tf.dispose([value, grads as never]);
    };
    run();
    const before = tf.memory().numTensors;
    withTaps(
      someModel,
      [
        ['**', { gradient: ({ gradient }) => void tf.mul(gradient, 2) }],
        ['**', { gradient: ({ gradient }) => tf.mul(gradient, 2) }],
        ['**', { gradient: ({ gradient }) => gradient }],
      ],
      () => {
        run();
        run();
      },
    );
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('gradients through what a tap puts in place agree with finite differences', () => {
  it.each<[string, string, TapHandlers]>([
    ['an output', 'dense_2', { output: ({ output }) => tf.mul(tf.square(output), 3) }],
    ['an input', 'dense_2', { input: ({ input }) => tf.mul(tf.sin(input), 2) }],
    [
      'input and output',
      'dense_*',
      { input: ({ input }) => tf.tanh(input), output: ({ output }) => tf.add(output, 1) },
    ],
  ])('%s of a dense layer', (_what, path, handlers) => {
    const someModel = mlp();
    withTaps(someModel, [[path, handlers]], () => {
      expectClose(gradients(someModel), slopes(someModel, X), 1e-2);
    });
    expect(
      gradients(someModel)
        .flat()
        .some((value) => value !== 0),
    ).toBe(true);
  });

  it('outputs and states of an RNN cell, and the layer in a TimeDistributed', () => {
    const someModel = sequential({
      layers: [
        layers.timeDistributed({ layer: layers.dense({ units: 2 }), inputShape: [3, 2], name: 'td' }),
        layers.lstm({ units: 2, recurrentInitializer: 'glorotNormal' }),
      ],
    });
    const x = tf.randomNormal([2, 3, 2], 0, 1, 'float32', 9);
    const squash: TapHandlers = {
      output: ({ outputs }) => outputs.map((output) => tf.mul(tf.tanh(output), 1.5)),
    };
    withTaps(someModel, [[['lstm_1/cell', 'td/layer'], squash]], () => {
      const found = gradients(someModel, x);
      expectClose(found, slopes(someModel, x), 1e-2);
      expect(Math.max(...found[0]!.map(Math.abs))).toBeGreaterThan(0);
    });
  });
});

describe('a replaced input', () => {
  it('is what the layer computes with, and what later taps see', () => {
    const someModel = mlp();
    const [first, second, third] = someModel.layers;
    const half = tf.mul(first!.apply(X) as tf.Tensor, 0.5);
    const expected = numbers(third!.apply(second!.apply(half) as tf.Tensor));
    let seen: number[] = [];
    const outputs = withTaps(
      someModel,
      [
        ['dense_2', { input: ({ input }) => tf.mul(input, 0.5) }],
        [
          'dense_2',
          ({ inputs }) => {
            seen = numbers(inputs[0]);
          },
        ],
      ],
      () => [someModel.predict(X), someModel.apply(X)].map(numbers),
    );
    expect(outputs).toEqual([expected, expected]);
    expect(seen).toEqual(numbers(half));
  });

  it('may be a tensor of yours, which stays alive', () => {
    const someModel = mlp();
    const mine = tf.ones([2, 4]);
    withTaps(someModel, [['dense_2', { input: () => mine }]], () => someModel.predict(X));
    expect(mine.isDisposed).toBe(false);
  });

  it('of a cell is the input and the states of the step', () => {
    const someModel = zoo();
    const x = tf.ones([1, 5, 6]);
    let states = 0;
    const forgetful = withTaps(
      someModel,
      [
        [
          'lstm_1/cell',
          {
            input: ({ inputs: [now, ...before] }) => {
              states = before.length;
              return [now!, ...before.map((state) => tf.zerosLike(state))];
            },
          },
        ],
      ],
      () => numbers(someModel.predict(x)),
    );
    expect(states).toBe(2);
    expect(forgetful).not.toEqual(numbers(someModel.predict(x)));
  });

  it('that does not fit is an error', () => {
    const someModel = mlp();
    expect(() =>
      withTaps(someModel, [['dense_2', { input: () => tf.ones([2, 3]) }]], () => someModel.predict(X)),
    ).toThrow('replaced input 0, float32 [2, 4], by float32 [2, 3]');
  });
});
