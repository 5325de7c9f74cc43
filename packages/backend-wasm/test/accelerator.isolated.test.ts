import { activeAccelerator, type ParameterUpdate, type UpdateRuleSpec } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';

const { loss, update, norm, statistics, movement } = wasmAccelerator;

beforeEach(async () => {
  await enableTraining();
});

afterEach(async () => {
  (await enableTraining()).disable();
});

const SGD: UpdateRuleSpec = { kind: 'sgd', nesterov: false };

function stepOf(changes: Partial<ParameterUpdate> = {}): ParameterUpdate {
  return {
    variable: tf.variable(tf.tensor1d([1, 2])),
    gradient: tf.tensor1d([1, 1]),
    slots: [],
    step: 1,
    hyper: { lr: 0.5 },
    ...changes,
  };
}

describe('the accelerator of wasm', () => {
  it('is there while training is enabled and wasm is active', async () => {
    await tf.setBackend('cpu');
    expect(activeAccelerator()).toBeUndefined();
    await tf.setBackend('wasm');
    expect(activeAccelerator()).toBe(wasmAccelerator);
    (await enableTraining()).disable();
    expect(activeAccelerator()).toBeUndefined();
  });

  it('cannot help after disable(), even for somebody who still has it', async () => {
    (await enableTraining()).disable();
    await on('wasm', () => {
      const x = tf.tensor1d([1, 2]);
      expect(loss('meanSquaredError', x, x)).toBeUndefined();
      expect(norm([x])).toBeUndefined();
      expect(statistics(x)).toBeUndefined();
      expect(movement(x, x)).toBeUndefined();
      expect(update(SGD, stepOf())).toBe(false);
    });
  });

  it('cannot help on another backend', async () => {
    await on('cpu', () => {
      const x = tf.tensor1d([1, 2]);
      expect(loss('meanSquaredError', x, x)).toBeUndefined();
      expect(norm([x])).toBeUndefined();
      expect(statistics(x)).toBeUndefined();
      expect(movement(x, x)).toBeUndefined();
      expect(update(SGD, stepOf())).toBe(false);
    });
  });

  it('cannot help with tensors that are still on the backend that was active before', async () => {
    await tf.setBackend('cpu');
    const [far, variable] = [tf.tensor1d([3, 4]), tf.variable(tf.tensor1d([1, 2]))];
    await on('wasm', () => {
      const near = tf.tensor1d([1, 2]);
      expect(norm([near, far])).toBeUndefined();
      expect(statistics(far)).toBeUndefined();
      expect(movement(near, far)).toBeUndefined();
      expect(movement(far, near)).toBeUndefined();
      expect(update(SGD, stepOf({ variable }))).toBe(false);
      expect(update(SGD, stepOf({ gradient: far }))).toBe(false);
      expect(update({ kind: 'sgd', nesterov: false }, stepOf({ slots: [far] }))).toBe(false);
      // An operation moves it.
      tf.neg(far);
      expect(norm([near, far])).toBeCloseTo(Math.sqrt(30), 6);
    });
    tf.dispose([far, variable]);
  });

  it.each(['int32', 'bool'] as const)('cannot help with %s', async (dtype) => {
    await on('wasm', () => {
      const [x, floats] = [tf.tensor1d([1, 0], dtype), tf.tensor1d([1, 0])];
      expect(norm([floats, x])).toBeUndefined();
      expect(statistics(x)).toBeUndefined();
      expect(movement(floats, x)).toBeUndefined();
      expect(update(SGD, stepOf({ gradient: x }))).toBe(false);
      expect(loss('meanSquaredError', floats, x)).toBeUndefined();
    });
  });

  it('cannot help where sizes or shapes do not fit', async () => {
    await on('wasm', () => {
      const [two, three] = [tf.tensor1d([1, 2]), tf.tensor1d([1, 2, 3])];
      expect(movement(two, three)).toBeUndefined();
      expect(update(SGD, stepOf({ gradient: three }))).toBe(false);
      expect(loss('meanSquaredError', tf.tensor2d([[1, 2]]), two)).toBeUndefined();
      expect(loss('meanSquaredError', tf.zeros([0, 2]), tf.zeros([0, 2]))).toBeUndefined();
    });
  });

  it.each(['hinge', 'huber', 'toString', ''])('does not know the loss "%s"', async (name) => {
    await on('wasm', () => {
      const x = tf.tensor2d([[1, 2]]);
      expect(loss(name, x, x)).toBeUndefined();
    });
  });

  it('leaves a loss inside a gradient of a gradient to operations that have a second derivative', async () => {
    await on('wasm', () => {
      const targets = tf.tensor1d([1, 2]);
      const seen: unknown[] = [];
      const inner = (x: tf.Tensor) => {
        seen.push(loss('meanSquaredError', targets, x));
        return tf.sum(tf.square(x));
      };
      tf.grad((x) => tf.sum(tf.square(tf.grad(inner)(x))))(tf.tensor1d([1, 1]));
      expect(seen).toEqual([undefined]);
    });
  });

  it('changes nothing where it cannot update', async () => {
    await on('wasm', () => {
      const slot = tf.tensor1d([7, 7]);
      const clone = tf.clone(slot);
      const step = stepOf({ slots: [slot] });
      expect(update(SGD, step)).toBe(false);
      expect([...step.variable.dataSync()]).toEqual([1, 2]);
      expect([...slot.dataSync()]).toEqual([7, 7]);
      // Without the clone it can.
      clone.dispose();
      expect(update(SGD, step)).toBe(true);
      expect([...slot.dataSync()]).toEqual([1, 1]);
    });
  });

  it('updates a parameter of any rank, without a tensor more', async () => {
    await on('wasm', () => {
      for (const shape of [[], [1], [3, 1], [2, 3, 4], [1, 1, 1, 5]]) {
        const step = stepOf({ variable: tf.variable(tf.ones(shape)), gradient: tf.ones(shape) });
        // The variable shares its data with the tensor that it was made from, and gets a copy with the first update.
        expect(update(SGD, step)).toBe(true);
        const before = tf.memory();
        for (let i = 0; i < 2; i++) expect(update(SGD, step)).toBe(true);
        expect(tf.memory()).toEqual(before);
        expect([...step.variable.dataSync()]).toEqual(Array(step.variable.size).fill(-0.5));
      }
    });
  });

  it('updates an empty parameter', async () => {
    await on('wasm', () => {
      const step = stepOf({ variable: tf.variable(tf.zeros([0, 3])), gradient: tf.zeros([0, 3]) });
      expect(update(SGD, step)).toBe(true);
      expect(step.variable.shape).toEqual([0, 3]);
    });
  });

  it('shows NaN and infinity of a gradient in the parameter', async () => {
    await on('wasm', () => {
      const step = stepOf({ gradient: tf.tensor1d([Number.NaN, Number.NEGATIVE_INFINITY]) });
      update(SGD, step);
      expect([...step.variable.dataSync()]).toEqual([Number.NaN, Number.POSITIVE_INFINITY]);
    });
  });

  it('gives every clone of a parameter the values of its own time', async () => {
    await on('wasm', () => {
      const step = stepOf();
      const history = Array.from({ length: 4 }, () => {
        const clone = tf.clone(step.variable);
        update(SGD, step);
        return clone;
      });
      expect(history.map((clone) => [...clone.dataSync()])).toEqual([
        [1, 2],
        [0.5, 1.5],
        [0, 1],
        [-0.5, 0.5],
      ]);
    });
  });

  it('has statistics and norms of empty tensors', async () => {
    await on('wasm', () => {
      const none = tf.zeros([0]);
      expect(norm([])).toBe(0);
      expect(norm([none, tf.tensor1d([3, 4])])).toBe(5);
      expect(statistics(none)).toEqual({
        sumSquares: 0,
        finite: 0,
        zeros: 0,
        min: Number.NaN,
        max: Number.NaN,
        mean: Number.NaN,
        std: Number.NaN,
      });
      expect(movement(none, none)).toEqual({ before: 0, change: 0 });
    });
  });

  it('shows NaN and infinity in how far a tensor has moved', async () => {
    await on('wasm', () => {
      const before = tf.tensor1d([1, 2, 3, 4, 5]);
      expect(movement(before, tf.tensor1d([1, Number.NaN, 3, 4, 5]))?.change).toBeNaN();
      expect(movement(before, tf.tensor1d([1, 2, 3, 4, Number.POSITIVE_INFINITY]))?.change).toBe(
        Number.POSITIVE_INFINITY,
      );
      expect(movement(before, before)).toEqual({ before: 55, change: 0 });
    });
  });

  it('needs no more memory the longer it is used', async () => {
    await on('wasm', () => {
      const ids = () => (tf.backend() as unknown as { numDataIds(): number }).numDataIds();
      const [x, y] = [tf.randomUniform([40, 10]), tf.randomUniform([40, 10])];
      const step = stepOf();
      const classes = tf.oneHot(tf.range(0, 40, 1, 'int32'), 10, 1, 0, 'int32');
      const once = () => {
        loss('meanSquaredError', x, y)?.dispose();
        loss('softmaxCrossentropy', classes, x)?.dispose();
        tf.dispose(tf.valueAndGrad((p) => loss('softmaxCrossentropy', y, p)!)(x) as never);
        update(SGD, step);
        norm([x, y]);
        statistics(x);
        movement(x, y);
      };
      once();
      const before = [ids(), tf.memory()];
      for (let i = 0; i < 50; i++) once();
      expect([ids(), tf.memory()]).toEqual(before);
    });
  });
});
