import * as tf from '@tensorflow/tfjs-core';
import * as layers from '@tensorflow/tfjs-layers';
import { afterEach, describe, expect, it } from 'vitest';
import { enableTraining } from '../src/index.js';
import { on } from './backends.js';
import { runIsolated } from './isolated.js';

afterEach(async () => {
  (await enableTraining()).disable();
});

function convNet(): layers.Sequential {
  return layers.sequential({
    layers: [
      layers.layers.conv2d({ filters: 3, kernelSize: 3, inputShape: [8, 8, 2], kernelInitializer: 'ones' }),
      layers.layers.maxPooling2d({ poolSize: 2 }),
      layers.layers.flatten(),
      layers.layers.dense({ units: 1, kernelInitializer: 'ones' }),
    ],
  });
}

describe('enableTraining', () => {
  it('makes a convolution trainable on wasm, and disable() makes it what it was', async () => {
    const step = () =>
      on('wasm', () => {
        const model = convNet();
        const loss = () => tf.mean(tf.square(model.apply(tf.ones([2, 8, 8, 2])) as tf.Tensor)) as tf.Scalar;
        return Object.keys(tf.variableGrads(loss).grads).length;
      });
    const { disable } = await enableTraining();
    expect(await step()).toBe(4);
    disable();
    await expect(step()).rejects.toThrow('Conv2DBackpropFilter');
  });

  it('fuses layers whether tfjs-layers is imported before or after, and disable() leaves them as they were', async () => {
    const { value } = await runIsolated<boolean[]>(`
      import '@tensorflow/tfjs-backend-wasm';
      import { enableTraining } from './src/index.ts';
      const { disable } = await enableTraining();
      const { layers } = await import('@tensorflow/tfjs-layers');
      const fused = Symbol.for('hookline.backend-wasm.fused');
      const all = [
        layers.dense({ units: 1 }), layers.conv2d({ filters: 1, kernelSize: 1 }), layers.batchNormalization(),
        layers.layerNormalization(), layers.lstm({ units: 1 }), layers.gru({ units: 1 }),
      ];
      const areFused = () => all.map((layer) => Boolean(layer.call[fused]));
      const before = areFused();
      disable();
      report([...before, ...areFused()]);
    `);
    expect(value).toEqual([...new Array(6).fill(true), ...new Array(6).fill(false)]);
  });

  it('changes nothing when it is called again, at the same time too', async () => {
    const [first, second] = await Promise.all([enableTraining(), enableTraining()]);
    const kernel = tf.getKernel(tf.BatchMatMul, 'wasm');
    const third = await enableTraining();
    expect(second).toBe(first);
    expect(third).toBe(first);
    expect(tf.getKernel(tf.BatchMatMul, 'wasm')).toBe(kernel);
  });

  it('without fma gives products that are rounded twice, like those of JavaScript', async () => {
    const values = () =>
      on('wasm', () => {
        const x = tf.randomUniform([40, 40], -1, 1, 'float32', 5) as tf.Tensor2D;
        return [x.dataSync(), tf.matMul(x, x).dataSync()] as const;
      });
    await enableTraining({ fma: false });
    const [x, plain] = await values();
    const expected = plain.map((_, i) => {
      let sum = 0;
      for (let k = 0; k < 40; k++) {
        sum = Math.fround(sum + Math.fround(x[Math.floor(i / 40) * 40 + k]! * x[k * 40 + (i % 40)]!));
      }
      return sum;
    });
    expect(plain).toEqual(expected);
    await enableTraining({ fma: true });
    const [, fused] = await values();
    // Where the machine has it; otherwise both are the same.
    expect(Math.max(...fused.map((value, i) => Math.abs(value - plain[i]!)))).toBeLessThan(1e-5);
  });

  it('gives the same bits in every run', async () => {
    await enableTraining();
    const once = () =>
      on('wasm', () => {
        const x = tf.randomUniform([4, 9, 9, 3], -1, 1, 'float32', 1) as tf.Tensor4D;
        const w = tf.randomUniform([3, 3, 3, 5], -1, 1, 'float32', 2) as tf.Tensor4D;
        const y = tf.conv2d(x, w, 1, 'same');
        return [...tf.sum(tf.softmax(y), [0, 1]).dataSync()];
      });
    expect(await once()).toEqual(await once());
  });

  it('goes on when the memory grows in the middle of a computation', async () => {
    await enableTraining();
    const sums = await on('wasm', () => {
      const x = tf.ones([64, 64]) as tf.Tensor2D;
      const before = tf.sum(tf.matMul(x, x)).dataSync()[0];
      const { buffer } = heap();
      const large = tf.ones([24, 1024, 1024]);
      expect(heap().buffer).not.toBe(buffer);
      return [before, tf.sum(tf.matMul(x, x)).dataSync()[0], tf.sum(large).dataSync()[0]];
    });
    expect(sums).toEqual([64 ** 3, 64 ** 3, 24 * 2 ** 20]);
  });

  it('says so when the memory is full, instead of laying tensors on top of each other', async () => {
    const { value } = await runIsolated<{ code: string; message: string; kept: number; sum: number }>(`
      import '@tensorflow/tfjs-backend-wasm';
      import * as tf from '@tensorflow/tfjs-core';
      import { enableTraining } from './src/index.ts';
      await tf.setBackend('wasm');
      await enableTraining();
      const first = tf.tensor1d([1, 2, 3]);
      const backend = tf.backend();
      const held = [];
      let error;
      try {
        for (let i = 0; i < 100; i++) held.push(backend.makeOutput([16 * 1024 * 1024], 'float32'));
      } catch (caught) {
        error = caught;
      }
      for (const { dataId } of held) backend.disposeData(dataId);
      report({ code: error?.code, message: error?.message, kept: held.length, sum: tf.sum(first).dataSync()[0] });
    `);
    expect(value).toMatchObject({ code: 'OUT_OF_MEMORY', sum: 6 });
    expect(value.message).toMatch(/64 MB more were asked for.*4096 MB/);
    expect(value.kept).toBeGreaterThan(40);
  });

  it('names what is missing when tfjs has no wasm backend', async () => {
    const { value } = await runIsolated<{ code: string }>(`
      import { enableTraining } from './src/index.ts';
      report(await enableTraining().then(() => ({}), ({ code }) => ({ code })));
    `);
    expect(value.code).toBe('BACKEND_NOT_REGISTERED');
  });

  it('names the version that is needed when the wasm backend is another than it knows', async () => {
    const { value } = await runIsolated<{ code: string; message: string; added: number }>(`
      import * as tf from '@tensorflow/tfjs-core';
      import '@tensorflow/tfjs-backend-wasm';
      import { enableTraining } from './src/index.ts';
      const kernels = () => tf.getKernelsForBackend('wasm').length;
      const before = kernels();
      tf.removeBackend('wasm');
      tf.registerBackend('wasm', () => ({ wasm: {}, dispose() {} }));
      const outcome = await enableTraining().then(() => ({}), ({ code, message }) => ({ code, message }));
      report({ ...outcome, added: kernels() - before });
    `);
    expect(value.code).toBe('UNKNOWN_BACKEND_SHAPE');
    expect(value.message).toContain('Install @tensorflow/tfjs-backend-wasm 4.22.0');
    expect(value.added).toBe(0);
  });

  it('says what to do in an engine without SIMD, and leaves the backend as it is', async () => {
    const { value } = await runIsolated<{ code: string; message: string; product: number[] }>(`
      import * as tf from '@tensorflow/tfjs-core';
      import '@tensorflow/tfjs-backend-wasm';
      import { enableTraining } from './src/index.ts';
      await tf.setBackend('wasm');
      // An engine without SIMD refuses every module that uses it.
      WebAssembly.validate = () => false;
      const outcome = await enableTraining().then(() => ({}), ({ code, message }) => ({ code, message }));
      report({ ...outcome, product: [...tf.mul(tf.tensor1d([1, 2]), 2).dataSync()] });
    `);
    expect(value.code).toBe('NO_SIMD');
    expect(value.message).toContain('train on the cpu backend');
    expect(value.product).toEqual([2, 4]);
  });
});

describe("import '@hookline/backend-wasm/register'", () => {
  it('makes wasm the backend, and model.fit trains a convolution', async () => {
    const { value } = await runIsolated<{ backend: string; losses: number[] }>(`
      import '@hookline/backend-wasm/register';
      import * as tf from '@tensorflow/tfjs-core';
      import { layers, sequential } from '@tensorflow/tfjs-layers';
      const model = sequential({ layers: [
        layers.conv2d({ filters: 2, kernelSize: 3, inputShape: [6, 6, 1], activation: 'relu', kernelInitializer: 'ones' }),
        layers.flatten(),
        layers.dense({ units: 1, kernelInitializer: 'zeros' }),
      ] });
      model.compile({ loss: 'meanSquaredError', optimizer: tf.train.sgd(1e-4) });
      const { history } = await model.fit(tf.ones([8, 6, 6, 1]), tf.ones([8, 1]), { epochs: 5, verbose: 0 });
      report({ backend: tf.getBackend(), losses: history.loss });
    `);
    expect(value.backend).toBe('wasm');
    expect(value.losses[0]).toBeCloseTo(1, 5);
    expect(value.losses[4]).toBeLessThan(0.9);
  });
});

function heap(): Uint8Array {
  return (tf.backend() as unknown as { wasm: { HEAPU8: Uint8Array } }).wasm.HEAPU8;
}
