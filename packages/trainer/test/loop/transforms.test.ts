import type { Gradients, Hook } from '@hookline/hook-api';
import { errorOf, regression, regressor, rows, TEST_BACKEND, weightsOf } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type OptimizerOption, selectBackend, type TrainerOptions } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

beforeAll(() => selectBackend({ backend: TEST_BACKEND, root: '.' }));

const data = regression(8);
const SGD: OptimizerOption = { name: 'sgd', lr: 0.1 };

async function train(hooks: Hook[], train: object = data, options: Partial<TrainerOptions> = {}) {
  const model = regressor();
  const trainer = quietTrainer({ model, optimizer: SGD, hooks, ...options });
  await trainer.fit({ train: train as never, epochs: 2, batchSize: 4, shuffle: false });
  return weightsOf(model);
}

const mapGradients = (gradients: Gradients, map: (gradient: tf.Tensor) => tf.Tensor) =>
  Object.fromEntries(Object.entries(gradients).map(([path, gradient]) => [path, map(gradient)]));

describe('transformBatch', () => {
  const double: Hook = {
    name: 'double',
    transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.mul(batch.xs as tf.Tensor, 2) }),
  };
  const addOne: Hook = {
    name: 'add-one',
    transformBatch: async (_ctx, { batch }) => {
      await Promise.resolve();
      return { ...batch, xs: tf.add(batch.xs as tf.Tensor, 1) };
    },
  };
  const changed = (change: (value: number) => number) => ({
    ...data,
    xs: data.xs.map((row) => row.map((value) => Math.fround(change(Math.fround(value))))),
  });

  test('replaces what the model trains on, each hook on the result of the one before', async () => {
    expect(await train([double])).toEqual(
      await train(
        [],
        changed((value) => value * 2),
      ),
    );
    expect(await train([double, addOne])).toEqual(
      await train(
        [],
        changed((value) => Math.fround(value * 2) + 1),
      ),
    );
    expect(await train([addOne, double])).toEqual(
      await train(
        [],
        changed((value) => Math.fround(value + 1) * 2),
      ),
    );
  });

  test('leaves the user’s own batches alone and disposes what it made', async () => {
    const batches = [0, 4].map((start) => ({
      xs: tf.tensor2d(data.xs.slice(start, start + 4)),
      ys: tf.tensor2d(data.ys.slice(start, start + 4)),
    }));
    await train([double, addOne], batches); // creates what stays: the model
    const before = tf.memory().numTensors;
    const model = regressor();
    const weights = tf.memory().numTensors - before;
    const trainer = quietTrainer({ model, optimizer: SGD, hooks: [double, addOne] });
    await trainer.fit({ train: batches, epochs: 2 });
    expect(tf.memory().numTensors - before).toBe(weights);
    expect(batches.every(({ xs, ys }) => !xs.isDisposed && !ys.isDisposed)).toBe(true);
    tf.dispose(batches as never);
  });

  test('sees the batch that the events after it see', async () => {
    const seen: number[] = [];
    const watch: Hook = {
      name: 'watch',
      onTrainBatchStart: (_ctx, { batch }) => void seen.push((batch.xs as tf.Tensor).dataSync()[0]!),
      onTrainBatchEnd: (_ctx, { batch }) => void seen.push((batch.xs as tf.Tensor).dataSync()[0]!),
    };
    await train([double, watch], { xs: [[1, 1, 1]], ys: [[0]] });
    expect(seen).toEqual([1, 2, 1, 2]);
  });

  test('a batch that does not fit the model is named', async () => {
    const wrong: Hook = {
      name: 'wrong',
      transformBatch: (_ctx, { batch }) => ({ ...batch, xs: tf.ones([4, 7]) }),
    };
    const error = await errorOf(train([wrong]));
    expect(error.code).toBe('BAD_BATCH');
    expect(error.message).toContain('[4,7]');
    expect(error.message).toContain('[batch, 3]');
  });
});

describe('transformGradients', () => {
  const scale = (name: string, factor: number): Hook => ({
    name,
    transformGradients: (_ctx, { gradients }) =>
      mapGradients(gradients, (gradient) => tf.mul(gradient, factor)),
  });

  test('replaces the gradients of the step', async () => {
    const half = await train([scale('half', 0.5)]);
    const expected = await train([], data, { optimizer: { name: 'sgd', lr: 0.05 } });
    half.flat().forEach((weight, i) => {
      expect(weight).toBeCloseTo(expected.flat()[i]!, 6);
    });
  });

  test('each hook’s result feeds the next, in their order', async () => {
    const clip: Hook = {
      name: 'clip',
      transformGradients: (_ctx, { gradients }) =>
        mapGradients(gradients, (gradient) => tf.clipByValue(gradient, -0.1, 0.1)),
    };
    const seen: number[] = [];
    const watch: Hook = {
      name: 'watch',
      transformGradients: (_ctx, { gradients }) => {
        seen.push(Math.max(...Object.values(gradients).flatMap((each) => [...tf.abs(each).dataSync()])));
        return undefined;
      },
    };
    await train([clip, scale('triple', 3), watch]);
    expect(seen[0]).toBeCloseTo(0.3, 6);
    seen.length = 0;
    await train([scale('triple', 3), clip, watch]);
    expect(seen[0]).toBeCloseTo(0.1, 6);
  });

  test('paths that are left out keep their gradient', async () => {
    const freezeHidden: Hook = {
      name: 'freeze-hidden',
      transformGradients: (_ctx, { gradients }) =>
        Object.fromEntries(
          Object.entries(gradients)
            .filter(([path]) => path.startsWith('hidden/'))
            .map(([path, gradient]) => [path, tf.zerosLike(gradient)]),
        ),
    };
    const [hiddenKernel, hiddenBias, outKernel, outBias] = await train([freezeHidden]);
    const untouched = weightsOf(regressor());
    expect([hiddenKernel, hiddenBias]).toEqual(untouched.slice(0, 2));
    expect([outKernel, outBias]).not.toEqual(untouched.slice(2));
  });

  test('runs once per step, on the mean of the accumulated batches', async () => {
    let calls = 0;
    const count: Hook = {
      name: 'count',
      transformGradients: () => {
        calls++;
        return undefined;
      },
    };
    await train([count], data, { accumulate: 2 });
    expect(calls).toBe(2);
  });

  test('a wrong shape and an unknown path are named, and nothing is updated', async () => {
    const cases: [Gradients, string[]][] = [
      [{ 'out/bias': tf.zeros([2, 2]) }, ['hook "wrong"', '"out/bias"', '[2,2]', '[1]']],
      [{ 'out/biass': tf.zeros([1]) }, ['"out/biass"', 'hidden/kernel, hidden/bias, out/kernel, out/bias']],
    ];
    for (const [returned, parts] of cases) {
      const model = regressor();
      const wrong: Hook = { name: 'wrong', transformGradients: () => returned };
      const error = await errorOf(quietTrainer({ model, hooks: [wrong] }).fit({ train: data, epochs: 1 }));
      expect(error.code).toBe('BAD_TRANSFORM');
      for (const part of parts) expect(error.message).toContain(part);
      expect(weightsOf(model)).toEqual(weightsOf(regressor()));
    }
  });
});

describe('transformActivation', () => {
  /** Squares the hidden activations, so that their gradient changes too. */
  const square: Hook = {
    name: 'square',
    layers: 'hidden',
    transformActivation: (_ctx, { output }) => tf.square(output),
  };

  test('is differentiable: gradients agree with finite differences of the loss', async () => {
    const gradients: Record<string, number[]> = {};
    const watch: Hook = {
      name: 'watch',
      onAfterBackward: (_ctx, event) => {
        for (const [path, gradient] of Object.entries(event.gradients))
          gradients[path] = [...gradient.dataSync()];
      },
    };
    const batch = { xs: rows(4, 3, 2), ys: rows(4, 1, 3) };
    await quietTrainer({ model: regressor(), hooks: [square, watch] }).fit({
      train: batch,
      epochs: 1,
      shuffle: false,
    });

    const loss = async (layer: number, index: number, delta: number) => {
      const model = regressor();
      const weights = model.getWeights().map((weight, i) => {
        const values = weight.dataSync().slice();
        if (i === layer) values[index]! += delta;
        return tf.tensor(values, weight.shape);
      });
      model.setWeights(weights);
      tf.dispose(weights);
      return (await quietTrainer({ model, hooks: [square] }).validate({ data: batch }))['val/loss']!;
    };
    const paths = ['hidden/kernel', 'hidden/bias', 'out/kernel', 'out/bias'];
    for (const [layer, path] of paths.entries()) {
      for (const index of [0, gradients[path]!.length - 1]) {
        const slope = ((await loss(layer, index, 0.01)) - (await loss(layer, index, -0.01))) / 0.02;
        expect(gradients[path]![index], `${path}[${index}]`).toBeCloseTo(slope, 3);
      }
    }
  });

  test('works in predict as in training, for the length of the run, and is gone when the hook is', async () => {
    const model = regressor();
    const mute: Hook = {
      name: 'mute',
      layers: 'hidden',
      transformActivation: (_ctx, { output }) => tf.zerosLike(output),
    };
    const trainer = quietTrainer({ model, hooks: [mute] });
    const [bias] = weightsOf(model)[3]!;
    const predict = async () => {
      const outputs = (await trainer.predict({ data: { xs: data.xs.slice(0, 2) } })) as tf.Tensor;
      const values = [...outputs.dataSync()];
      outputs.dispose();
      return values;
    };
    expect(await predict()).toEqual([bias, bias]);
    // The model itself is as it was: a tap lives as long as the run.
    expect(model.layers.some((layer) => Object.hasOwn(layer, 'call'))).toBe(false);
    const direct = tf.tidy(() => [
      ...(model.predict(tf.tensor2d(data.xs.slice(0, 2))) as tf.Tensor).dataSync(),
    ]);
    expect(direct).not.toEqual([bias, bias]);
    trainer.removeHook('mute');
    expect(await predict()).toEqual(direct);
  });

  test('each hook’s result feeds the next, and onForward sees the layer’s own', async () => {
    const seen: number[] = [];
    const first: Hook = {
      name: 'first',
      layers: 'out',
      onForward: (_ctx, { output }) => void seen.push(output.dataSync()[0]!),
      transformActivation: (_ctx, { output }) => tf.zerosLike(output),
    };
    const second: Hook = {
      name: 'second',
      layers: 'out',
      onForward: (_ctx, { output }) => void seen.push(output.dataSync()[0]!),
      transformActivation: (_ctx, { output }) => tf.add(output, 5),
    };
    const trainer = quietTrainer({ model: regressor(), hooks: [first, second] });
    const outputs = (await trainer.predict({ data: { xs: data.xs.slice(0, 1) } })) as tf.Tensor;
    expect([...outputs.dataSync()]).toEqual([5]);
    outputs.dispose();
    expect(seen[0]).toBe(seen[1]);
    expect(seen[0]).not.toBe(0);
  });

  test('a wrong shape is named, with the layer', async () => {
    const wrong: Hook = { name: 'wrong', layers: 'hidden', transformActivation: () => tf.zeros([1, 2]) };
    const error = await errorOf(train([wrong]));
    expect(error.code).toBe('BAD_TRANSFORM');
    for (const part of ['hook "wrong"', '"hidden"', '[1,2]', '[4,4]']) expect(error.message).toContain(part);
  });

  test('a layer that is not there is named, with the nearest', async () => {
    const error = await errorOf(train([{ name: 'tap', layers: 'hiden', onForward: () => {} }]));
    expect(error.code).toBe('BAD_OPTIONS');
    for (const part of ['Hook "tap"', 'hiden', 'Did you mean "hidden"?', 'Layers: hidden, out']) {
      expect(error.message).toContain(part);
    }
  });
});
