import { activeAccelerator } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import * as tfl from '@tensorflow/tfjs-layers';
import { afterEach, describe, expect, it } from 'vitest';
import { enableTraining, type TrainingOptions } from '../src/index.js';
import { OWN_KERNELS } from '../src/kernels/own-kernels.js';
import { TRAINING_KERNELS } from '../src/kernels/training-kernels.js';
import { on } from './backends.js';

afterEach(async () => {
  (await enableTraining()).disable();
});

const ENGINE = ['gradients', 'clone', 'endScope', 'runKernel', 'runKernelFunc'] as const;

const LAYERS = [
  () => tfl.layers.dense({ units: 1 }),
  () => tfl.layers.conv2d({ filters: 1, kernelSize: 1 }),
  () => tfl.layers.batchNormalization(),
  () => tfl.layers.layerNormalization(),
  () => tfl.layers.lstm({ units: 1 }),
  () => tfl.layers.gru({ units: 1 }),
];

/** Everything in this process that enableTraining() may change. */
function state() {
  const kernels = tf
    .getKernelsForBackend('wasm')
    .map(({ kernelName, kernelFunc }) => [kernelName, kernelFunc]);
  const names = tf.getKernelsForBackend('cpu').map(({ kernelName }) => kernelName);
  return {
    kernels: new Map(kernels as [string, tf.KernelFunc][]),
    gradients: new Map(names.map((name) => [name, tf.getGradient(name)?.gradFunc])),
    own: OWN_KERNELS.map(({ name }) => tf.getGradient(name)),
    engine: ENGINE.map((name) => (tf.engine() as unknown as Record<string, unknown>)[name]),
    layers: LAYERS.map((make) => make().call),
    register: tf.serialization.SerializationMap.register,
    accelerator: activeAccelerator(),
    active: tf.getBackend(),
  };
}

describe('disable()', () => {
  it('restores every kernel, gradient, layer and method of the engine', async () => {
    await tf.setBackend('wasm');
    const before = state();
    const { disable } = await enableTraining();
    const enabled = state();
    for (const { name } of [...TRAINING_KERNELS, ...OWN_KERNELS])
      expect(enabled.kernels.get(name), name).not.toBe(before.kernels.get(name));
    expect(enabled.layers).not.toContain(before.layers[0]);
    expect(enabled.accelerator).toBeDefined();
    disable();
    expect(state()).toEqual(before);
  });

  it('may be called twice, and does nothing the second time', async () => {
    await tf.setBackend('wasm');
    const { disable } = await enableTraining();
    disable();
    const before = state();
    disable();
    expect(state()).toEqual(before);
  });

  it('of a call that was replaced does nothing', async () => {
    const first = await enableTraining({ fma: false });
    const second = await enableTraining({ fma: true });
    const before = state();
    first.disable();
    expect(state()).toEqual(before);
    expect(await enableTraining()).toBe(second);
  });

  it('leaves a gradient that somebody has registered since', async () => {
    const { disable } = await enableTraining();
    const stock = tf.getGradient(tf.Relu);
    const own: tf.GradConfig = { ...stock, gradFunc: (dy) => ({ x: () => tf.clone(dy as tf.Tensor) }) };
    tf.unregisterGradient(tf.Relu);
    tf.registerGradient(own);
    disable();
    expect(tf.getGradient(tf.Relu)).toBe(own);
    // As it was before this test: disable() had no reason to restore it.
    await enableTraining();
    tf.unregisterGradient(tf.Relu);
    tf.registerGradient(stock);
  });

  it('leaves a layer whose call somebody has replaced since', async () => {
    const { prototype } = tfl.layers.dense({ units: 1 }).constructor as { prototype: { call: unknown } };
    const stock = prototype.call;
    const { disable } = await enableTraining();
    expect(prototype.call).not.toBe(stock);
    const own = () => tf.zeros([1]);
    prototype.call = own;
    disable();
    expect(prototype.call).toBe(own);
    prototype.call = stock;
  });

  it('makes results those of tfjs again', async () => {
    const { disable } = await enableTraining();
    // tfjs copies the lowest byte of a number that becomes a boolean.
    const isTrue = () => on('wasm', () => tf.cast(tf.tensor1d([256], 'int32'), 'bool').dataSync()[0]);
    expect(await isTrue()).toBe(1);
    disable();
    expect(await isTrue()).toBe(0);
  });

  it('gives back all memory that the kernels used, time after time', async () => {
    await tf.setBackend('wasm');
    const { wasm } = tf.backend() as unknown as {
      wasm: { _malloc(n: number): number; _free(at: number): void };
    };
    const held = new Set<number>();
    await enableTraining();
    const { _malloc, _free } = wasm;
    (await enableTraining()).disable();
    wasm._malloc = (bytes) => {
      const at = _malloc(bytes);
      held.add(at);
      return at;
    };
    wasm._free = (at) => {
      held.delete(at);
      _free(at);
    };
    for (let i = 0; i < 3; i++) {
      const { disable } = await enableTraining();
      tf.tidy(() => {
        const x = tf.ones([2, 9, 9, 3]) as tf.Tensor4D;
        const loss = (w: tf.Tensor) => tf.sum(tf.conv2d(x, w as tf.Tensor4D, 2, 'same'));
        tf.grad(loss)(tf.ones([3, 3, 3, 4]));
        tf.sum(tf.ones([3, 4, 5]), [0, 2]);
      });
      expect(held.size).toBeGreaterThan(0);
      disable();
      expect(held.size).toBe(0);
    }
    Object.assign(wasm, { _malloc, _free });
  });
});

describe('options', () => {
  it.each([
    [{ layers: false }, { layers: false, engine: true }],
    [{ engine: false }, { layers: true, engine: false }],
    [
      { layers: false, engine: false },
      { layers: false, engine: false },
    ],
  ] as [TrainingOptions, { layers: boolean; engine: boolean }][])(
    '%j switches off only that',
    async (options, on) => {
      (await enableTraining()).disable();
      await tf.setBackend('wasm');
      const before = state();
      await enableTraining(options);
      const enabled = state();
      expect(enabled.layers[0] !== before.layers[0]).toBe(on.layers);
      expect(enabled.engine[0] !== before.engine[0]).toBe(on.engine);
      expect(enabled.accelerator).toBeDefined();
      // The rest of the options stays when another one changes.
      const { fma } = await enableTraining({ fma: false });
      expect(fma).toBe(false);
      expect(state().layers[0] !== before.layers[0]).toBe(on.layers);
      expect(state().engine[0] !== before.engine[0]).toBe(on.engine);
      await enableTraining({ layers: true, engine: true, fma: true });
    },
  );

  it.each(['cpu', 'wasm'])('leave %s active', async (name) => {
    await tf.setBackend(name);
    await enableTraining();
    expect(tf.getBackend()).toBe(name);
  });

  it('given at the same time, the last ones win', async () => {
    const [, second] = await Promise.all([enableTraining({ fma: true }), enableTraining({ fma: false })]);
    expect(second.fma).toBe(false);
    expect((await enableTraining()).fma).toBe(false);
    await enableTraining({ fma: true });
  });
});
