import * as tf from '@tensorflow/tfjs-core';
import { input, type LayersModel, layers, model } from '@tensorflow/tfjs-layers';
import { describe, expect, it } from 'vitest';
import { type TapHandler, tap } from '../src/index.js';
import { mlp, zoo } from './models.js';

const X = tf.tensor2d([
  [1, 2, 3],
  [-1, 0.5, 2],
]);

const numbers = (tensor: unknown): number[] => Array.from((tensor as tf.Tensor).dataSync());

function lstmWithState(): LayersModel {
  const x = input({ shape: [null, 2] });
  const lstm = layers.lstm({ units: 3, returnState: true, recurrentInitializer: 'glorotNormal' });
  return model({ inputs: x, outputs: lstm.apply(x) as never });
}

describe('a replaced output', () => {
  it('is what the rest of the model computes with', () => {
    const someModel = mlp();
    const [, second, third] = someModel.layers;
    const replacement = tf.tensor2d([
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ]);
    const expected = numbers(third!.apply(second!.apply(replacement) as tf.Tensor));
    const dense = tap(someModel, 'dense_1', () => replacement.clone());
    expect(numbers(someModel.predict(X))).toEqual(expected);
    expect(numbers(someModel.apply(X))).toEqual(expected);
    dense.remove();
    expect(numbers(someModel.predict(X))).not.toEqual(expected);
    expect(numbers(replacement)).toEqual([1, 0, 0, 0, 0, 1, 0, 0]);
  });

  it('may be an input of the layer, which skips the layer', () => {
    const x = input({ shape: [3] });
    const skipped = layers.dense({ units: 3 });
    const someModel = model({ inputs: x, outputs: skipped.apply(x) as never });
    const skip = tap(someModel, 'dense_1', ({ inputs }) => inputs[0]);
    expect(numbers(someModel.predict(X))).toEqual(numbers(X));
    skip.remove();
    expect(X.isDisposed).toBe(false);
  });

  it('passes gradients: they agree with finite differences in every weight before and after the tap', () => {
    const someModel = mlp();
    const kernelOf = (index: number) => someModel.layers[index]!.weights[0]!;
    const loss = (): tf.Scalar => tf.sum(tf.square(someModel.apply(X) as tf.Tensor)) as tf.Scalar;
    const tapped = tap(someModel, 'dense_2', ({ output }) => tf.mul(tf.square(output), 3));
    const { grads } = tf.variableGrads(loss);
    const step = 1e-2;
    for (const index of [0, 1, 2]) {
      const kernel = kernelOf(index);
      const values = numbers(kernel.read());
      const lossWith = (position: number, value: number): number => {
        const changed = values.with(position, value);
        kernel.write(tf.tensor(changed, kernel.shape as number[]));
        return tf.tidy(() => loss().dataSync()[0]!);
      };
      const numeric = values.map(
        (value, i) => (lossWith(i, value + step) - lossWith(i, value - step)) / (2 * step),
      );
      kernel.write(tf.tensor(values, kernel.shape as number[]));
      const analytic = numbers(grads[kernel.name]);
      analytic.forEach((gradient, i) => {
        expect(Math.abs(gradient - numeric[i]!)).toBeLessThan(1e-2 * (1 + Math.abs(gradient)));
      });
      expect(Math.max(...analytic.map(Math.abs))).toBeGreaterThan(0);
    }
    tapped.remove();
  });

  it('stops the gradients of everything before it when it does not depend on it', () => {
    const someModel = mlp();
    const constant = tap(someModel, 'dense_2', ({ output }) => tf.ones(output.shape));
    const { grads } = tf.variableGrads(() => tf.sum(someModel.apply(X) as tf.Tensor));
    constant.remove();
    const [before, , after] = someModel.layers.map((layer) => layer.weights[0]!.name);
    expect(grads[before!]).toBeUndefined();
    expect(numbers(grads[after!])).toEqual([2, 2, 2]);
  });

  it('may be a tensor of yours, kept or not, which the pass does not dispose', () => {
    const someModel = mlp();
    const [mine, kept] = [tf.ones([2, 4]), tf.keep(tf.ones([2, 4]))];
    const expected = numbers(someModel.layers[2]!.apply(someModel.layers[1]!.apply(mine) as tf.Tensor));
    for (const tensor of [mine, kept]) {
      const giving = tap(someModel, 'dense_1', () => tensor);
      expect(numbers(someModel.predict(X))).toEqual(expected);
      expect(numbers(someModel.apply(X))).toEqual(expected);
      giving.remove();
      expect(tensor.isDisposed).toBe(false);
    }
  });

  it('skips a layer in the middle by handing on what the layer got', () => {
    const square = (name: string) => layers.dense({ units: 3, name });
    const x = input({ shape: [3] });
    const first = square('first').apply(x);
    const someModel = model({
      inputs: x,
      outputs: square('last').apply(square('middle').apply(first)) as never,
    });
    const [, one, , last] = someModel.layers;
    const expected = numbers(last!.apply(one!.apply(X) as tf.Tensor));
    const skip = tap(someModel, 'middle', ({ inputs }) => inputs[0]);
    expect(numbers(someModel.predict(X))).toEqual(expected);
    skip.remove();
  });
});

describe('a layer with several outputs', () => {
  it('shows them all, and takes a list', () => {
    const someModel = lstmWithState();
    const x = tf.ones([2, 4, 2]);
    let shapes: number[][] = [];
    const look = tap(someModel, 'lstm_1', ({ output, outputs }) => {
      shapes = outputs.map(({ shape }) => shape);
      expect(output).toBe(outputs[0]);
    });
    const untapped = (someModel.predict(x) as tf.Tensor[]).map(numbers);
    look.remove();
    expect(shapes).toEqual([
      [2, 3],
      [2, 3],
      [2, 3],
    ]);
    const last = tap(someModel, 'lstm_1', ({ outputs: [output, h, c] }) => [output!, h!, tf.mul(c!, 0)]);
    const replaced = (someModel.predict(x) as tf.Tensor[]).map(numbers);
    last.remove();
    expect(replaced.slice(0, 2)).toEqual(untapped.slice(0, 2));
    expect(replaced[2]!.every((value) => value === 0)).toBe(true);
    expect(untapped[2]!.every((value) => value !== 0)).toBe(true);
  });

  it('may be an RNN cell, whose states go into the next step', () => {
    const someModel = lstmWithState();
    // tfjs runs a layer once for each of its outputs that the model uses: three times four steps.
    const reset = tap(someModel, 'lstm_1/cell', ({ outputs, callIndex }) =>
      callIndex % 4 < 3 ? outputs.map((state) => tf.zerosLike(state)) : undefined,
    );
    const forgetful = (someModel.predict(tf.ones([1, 4, 2])) as tf.Tensor[]).map(numbers);
    reset.remove();
    expect(forgetful).toEqual((someModel.predict(tf.ones([1, 1, 2])) as tf.Tensor[]).map(numbers));
  });

  it('does not take a single tensor', () => {
    const someModel = lstmWithState();
    const one = tap(someModel, 'lstm_1', ({ output }) => tf.mul(output, 0));
    expect(() => someModel.predict(tf.ones([2, 4, 2]))).toThrow(
      expect.objectContaining({
        code: 'BAD_REPLACEMENT',
        message: expect.stringContaining('returned 1 tensor, but the layer has 3 outputs'),
      }),
    );
    one.remove();
  });
});

describe('a replacement that does not fit', () => {
  const messageOf = (handler: TapHandler): string => {
    const someModel = mlp();
    const bad = tap(someModel, 'dense_1', handler);
    try {
      someModel.predict(X);
    } catch (error) {
      expect(error).toMatchObject({ name: 'LayerTapsError', code: 'BAD_REPLACEMENT' });
      return (error as Error).message;
    } finally {
      bad.remove();
    }
    throw new Error('nothing was thrown');
  };

  it('in shape is an error that names the path and both shapes', () => {
    expect(messageOf(() => tf.ones([2, 5]))).toBe(
      'The tap on "dense_1" replaced output 0, float32 [2, 4], by float32 [2, 5]. ' +
        'Expected a tensor float32 [2, 4], or nothing to leave the output as it is.',
    );
    expect(messageOf(() => tf.ones([2, 4, 1]))).toContain('by float32 [2, 4, 1]');
  });

  it('in dtype is an error that names both', () => {
    expect(messageOf(({ output }) => tf.cast(output, 'int32'))).toContain('by int32 [2, 4]');
  });

  it('because it is not a tensor, a promise or disposed is an error', () => {
    expect(messageOf((async () => tf.ones([2, 4])) as never)).toContain('returned a promise');
    expect(messageOf((() => 3) as never)).toContain('returned a number');
    expect(messageOf((() => null) as never)).toContain('returned null');
    expect(messageOf((() => ({})) as never)).toContain('returned an object');
    expect(
      messageOf(() => {
        const gone = tf.ones([2, 4]);
        gone.dispose();
        return gone;
      }),
    ).toContain('returned a disposed tensor');
  });

  it('never disturbs a model whose taps return undefined', () => {
    const someModel = zoo();
    const all = tap(someModel, '**', () => undefined);
    expect(() => someModel.predict(tf.ones([1, 5, 6]))).not.toThrow();
    all.remove();
  });
});
