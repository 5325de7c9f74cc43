import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { random } from './cases/step-makers.js';
import { distance } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

type Loss = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

interface Judge {
  /** The loss of tfjs, on cpu. */
  readonly stock: Loss;
  readonly outputs: readonly [low: number, high: number];
  /** Whether the targets of a row are one class. */
  readonly classes?: true;
}

const JUDGES: Readonly<Record<string, Judge>> = {
  meanSquaredError: { stock: (t, p) => tf.losses.meanSquaredError(t, p), outputs: [-3, 3] },
  sigmoidCrossentropy: { stock: (t, p) => tf.losses.sigmoidCrossEntropy(t, p), outputs: [-9, 9] },
  binaryCrossentropy: {
    stock: (t, p) => tf.mean(tfl.metrics.binaryCrossentropy(t, p)),
    outputs: [0.01, 0.99],
  },
  softmaxCrossentropy: {
    stock: (t, p) => tf.losses.softmaxCrossEntropy(t, p),
    outputs: [-9, 9],
    classes: true,
  },
  categoricalCrossentropy: {
    stock: (t, p) => tf.neg(tf.mean(tf.sum(tf.mul(t, tf.log(p)), -1))),
    outputs: [0.01, 0.99],
    classes: true,
  },
};

const SHAPES = [
  [1, 1],
  [1, 7],
  [5, 1],
  [4, 3],
  [3, 16],
  [2, 3, 5],
  [2, 2, 2, 3],
  [600, 2],
];

function operands({ outputs: [low, high], classes }: Judge, shape: number[]): [tf.Tensor, tf.Tensor] {
  const outputs = random(shape, 3, low, high);
  if (!classes) return [tf.cast(tf.greater(random(shape, 4), 0), 'float32'), outputs];
  const width = shape.at(-1)!;
  if (width === 1) return [tf.ones(shape), outputs];
  const rows = tf.floor(random(shape.slice(0, -1), 4, 0, width - 0.01));
  return [tf.oneHot(tf.cast(rows, 'int32'), width, 1, 0, 'float32'), outputs];
}

describe.each(Object.entries(JUDGES))('the loss %s in one kernel', (name, judge) => {
  const own: Loss = (targets, outputs) => wasmAccelerator.loss(name, targets, outputs)!;

  it.each(SHAPES.map((shape) => [shape]))(
    'has the value and the gradient of tfjs for [%s]',
    async (shape) => {
      const both = (backend: 'cpu' | 'wasm', loss: Loss) =>
        on(backend, () => {
          const [targets, outputs] = operands(judge, shape);
          const { value, grad } = tf.valueAndGrad((p) => loss(targets, p))(outputs);
          return [value, grad].map((tensor) => [...tensor.dataSync()]);
        });
      const [expected, actual] = [await both('cpu', judge.stock), await both('wasm', own)];
      expect(distance(actual[0]!, expected[0]!)).toBeLessThan(1e-5);
      expect(distance(actual[1]!, expected[1]!)).toBeLessThan(2e-5);
    },
  );

  it('is a scalar of float32, whatever the targets are', async () => {
    const losses = await on('wasm', () =>
      (['float32', 'int32', 'bool'] as const).map((targets) => {
        const loss = own(tf.ones([2, 3], targets), tf.fill([2, 3], 0.3));
        return { shape: loss.shape, dtype: loss.dtype, value: loss.dataSync()[0] };
      }),
    );
    const { value } = losses[0]!;
    for (const loss of losses) expect(loss).toEqual({ shape: [], dtype: 'float32', value });
  });

  it('takes targets for constants', async () => {
    const { grads } = await on('wasm', () => {
      const variable = tf.variable(tf.fill([2, 3], 0.4));
      // Both follow from the variable: only what goes through the outputs counts.
      const through = tf.variableGrads(
        () => own(tf.mul(variable, 1), tf.mul(variable, 2)) as tf.Scalar,
        [variable],
      );
      const alone = tf.variableGrads(
        () => own(tf.fill([2, 3], 0.4), tf.mul(variable, 2)) as tf.Scalar,
        [variable],
      );
      return { grads: [through, alone].map((each) => [...each.grads[variable.name]!.dataSync()]) };
    });
    expect(grads[0]).toEqual(grads[1]);
  });

  it('shows a NaN of an output in the value, and in the gradient where it is', async () => {
    const [value, gradient] = await on('wasm', () => {
      const outputs = tf.buffer([2, 5]);
      outputs.values.fill(0.3);
      outputs.set(Number.NaN, 1, 4);
      const targets = tf.ones([2, 5]);
      const { value: loss, grad } = tf.valueAndGrad((p) => own(targets, p))(outputs.toTensor());
      return [loss.dataSync()[0], [...grad.dataSync()].map(Number.isNaN)] as const;
    });
    expect(value).toBeNaN();
    expect(gradient[9]).toBe(true);
    expect(gradient.slice(0, 5)).toEqual([false, false, false, false, false]);
  });

  it('gives a single number as it gives a row of one', async () => {
    const [scalar, row] = await on('wasm', () => [
      own(tf.scalar(1), tf.scalar(0.4)).dataSync()[0],
      own(tf.ones([1, 1]), tf.fill([1, 1], 0.4)).dataSync()[0],
    ]);
    expect(scalar).toBe(row);
  });
});
