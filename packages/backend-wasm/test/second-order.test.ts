import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { beforeAll, describe, expect, it } from 'vitest';
import { wasmAccelerator } from '../src/accelerator/accelerator.js';
import { attention, enableTraining } from '../src/index.js';
import { OWN_KERNELS } from '../src/kernels/own-kernels.js';
import { on } from './backends.js';
import { random } from './cases/step-makers.js';
import { distance } from './compare.js';

beforeAll(async () => {
  await enableTraining();
});

const seeded = (seed: number) => tfl.initializers.glorotUniform({ seed });
const recurrent = { units: 3, kernelInitializer: seeded(1), recurrentInitializer: seeded(2) };

/** Layers that are computed in one operation, with the shape of their input. */
const LAYERS: Readonly<Record<string, [number[], () => tfl.layers.Layer]>> = {
  dense: [[2, 3], () => tfl.layers.dense({ units: 4, activation: 'tanh', kernelInitializer: seeded(1) })],
  conv2d: [
    [1, 4, 4, 2],
    () =>
      tfl.layers.conv2d({ filters: 3, kernelSize: 2, activation: 'sigmoid', kernelInitializer: seeded(1) }),
  ],
  layerNormalization: [[2, 5], () => tfl.layers.layerNormalization()],
  lstm: [[2, 3, 2], () => tfl.layers.lstm({ ...recurrent, recurrentActivation: 'sigmoid' })],
  gru: [[2, 3, 2], () => tfl.layers.gru({ ...recurrent, recurrentActivation: 'sigmoid' })],
};

/** A penalty on the gradient, as in WGAN-GP: its own gradient needs second derivatives. */
function penalty(apply: (x: tf.Tensor) => tf.Tensor, x: tf.Tensor): number[] {
  const inner = (at: tf.Tensor) => tf.grad((input) => tf.sum(tf.square(apply(input))))(at);
  return [
    ...tf
      .grad((at) => tf.sum(tf.square(inner(at))))(x)
      .dataSync(),
  ];
}

describe('second derivatives', () => {
  it.each(Object.entries(LAYERS))('through %s are those of cpu', async (_name, [shape, make]) => {
    const run = (backend: 'cpu' | 'wasm') =>
      on(backend, () => {
        const layer = make();
        const result = penalty((x) => layer.apply(x) as tf.Tensor, random(shape));
        layer.dispose();
        return result;
      });
    const [expected, actual] = [await run('cpu'), await run('wasm')];
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0);
    expect(distance(actual, expected)).toBeLessThan(1e-4);
  });

  it.each([
    ['sigmoid', tf.sigmoid],
    ['tanh', tf.tanh],
    ['softmax', (x: tf.Tensor) => tf.softmax(x)],
    ['softplus', tf.softplus],
    ['matMul', (x: tf.Tensor) => tf.matMul(x as tf.Tensor2D, x as tf.Tensor2D, false, true)],
    ['mean', (x: tf.Tensor) => tf.mul(tf.mean(x, 0, true), x)],
    ['gather', (x: tf.Tensor) => tf.square(tf.gather(x, tf.tensor1d([1, 0, 1], 'int32')))],
    ['log', (x: tf.Tensor) => tf.log(tf.add(tf.square(x), 1))],
    ['division', (x: tf.Tensor) => tf.div(1, tf.add(tf.square(x), 1))],
  ] as [string, (x: tf.Tensor) => tf.Tensor][])('through %s are those of cpu', async (_name, apply) => {
    const run = (backend: 'cpu' | 'wasm') => on(backend, () => penalty(apply, random([3, 4])));
    const [expected, actual] = [await run('cpu'), await run('wasm')];
    expect(distance(actual, expected)).toBeLessThan(1e-4);
  });

  /** The outer function computes something in one operation, and the inner gradient goes through it. */
  const throughOuter = (fused: (x: tf.Tensor) => tf.Tensor, x: tf.Tensor) => () =>
    tf.grad((at) => {
      const before = fused(at);
      return tf.sum(tf.square(tf.grad((b) => tf.sum(tf.mul(tf.sum(before), tf.square(b))))(at)));
    })(x);

  it.each(Object.entries(LAYERS))(
    'through %s that the outer gradient has computed are refused by name',
    async (_name, [shape, make]) => {
      await on('wasm', () => {
        const layer = make();
        const x = random(shape);
        layer.apply(x);
        const run = throughOuter((at) => layer.apply(at) as tf.Tensor, x);
        expect(run).toThrow(
          expect.objectContaining({
            name: 'BackendWasmError',
            code: 'NO_SECOND_GRADIENT',
            message: expect.stringMatching(/goes through Hookline\w+.*enableTraining\({ layers: false }\)/s),
          }),
        );
        layer.dispose();
      });
    },
  );

  it('through attention and a fused loss of the outer gradient are refused by name', async () => {
    await on('wasm', () => {
      const x = random([1, 3, 2]);
      const attend = (at: tf.Tensor) => attention(at as tf.Tensor3D, at as tf.Tensor3D, at as tf.Tensor3D);
      const code = expect.objectContaining({ code: 'NO_SECOND_GRADIENT' });
      expect(throughOuter(attend, x)).toThrow(code);
      const loss = (at: tf.Tensor) => wasmAccelerator.loss('meanSquaredError', tf.zerosLike(at), at)!;
      expect(throughOuter(loss, x)).toThrow(code);
    });
  });

  it('leave no tensor behind when they are refused, and the next gradient is right', async () => {
    await on('wasm', () => {
      const layer = tfl.layers.dense({ units: 2, activation: 'tanh' });
      const x = random([2, 3]);
      layer.apply(x);
      const run = throughOuter((at) => layer.apply(at) as tf.Tensor, x);
      const gradient = () =>
        tf.tidy(() => [
          ...tf
            .grad((at) => tf.sum(tf.square(at)))(x)
            .dataSync(),
        ]);
      const usual = gradient();
      expect(run).toThrow();
      expect(gradient()).toEqual(usual);
      layer.dispose();
    });
  });

  it('are refused by every kernel that has no gradient of its own in tfjs', () => {
    for (const { name } of OWN_KERNELS) {
      const { gradFunc } = tf.getGradient(name);
      expect(() => gradFunc(tf.scalar(1), [], {}), name).toThrow(name);
    }
  });

  it('work with layers: false where they are refused otherwise', async () => {
    await enableTraining({ layers: false });
    const values = await on('wasm', () => {
      const layer = tfl.layers.dense({ units: 2, activation: 'tanh', kernelInitializer: seeded(3) });
      const x = random([2, 3]);
      layer.apply(x);
      return [...throughOuter((at) => layer.apply(at) as tf.Tensor, x)().dataSync()];
    });
    expect(values.every(Number.isFinite)).toBe(true);
    await enableTraining({ layers: true });
  });
});
