import { runInNewContext } from 'node:vm';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { enableTraining } from '../src/index.js';
import { fromBase64 } from '../src/module/base64.js';
import { isShared } from '../src/module/web-assembly.js';
import { on } from './backends.js';

afterEach(async () => {
  (await enableTraining()).disable();
  vi.unstubAllGlobals();
});

/** The package a second time, as package managers may install it. */
async function otherCopy(): Promise<typeof import('../src/index.js')> {
  vi.resetModules();
  const copy = await import('../src/index.js');
  expect(copy.enableTraining).not.toBe(enableTraining);
  return copy;
}

describe('a second copy of the package', () => {
  it('sees what the first one has enabled, and changes nothing', async () => {
    const first = await enableTraining();
    const kernel = tf.getKernel(tf.Conv2DBackpropFilter, 'wasm');
    const { enableTraining: again } = await otherCopy();
    expect(await again()).toBe(first);
    expect(tf.getKernel(tf.Conv2DBackpropFilter, 'wasm')).toBe(kernel);
  });

  it('can replace it, and the first one sees that', async () => {
    await enableTraining({ fma: true });
    const { enableTraining: again } = await otherCopy();
    const second = await again({ fma: false });
    expect(second.fma).toBe(false);
    expect(await enableTraining()).toBe(second);
    const product = await on('wasm', () => tf.matMul(tf.ones([2, 3]), tf.ones([3, 2])).dataSync()[0]);
    expect(product).toBe(3);
    await enableTraining({ fma: true });
  });

  it('throws errors that are recognised by their code', async () => {
    const { attention, BackendWasmError } = await otherCopy();
    const x = tf.zeros([1, 2, 3]) as tf.Tensor3D;
    const run = () => attention(x, x, x, { heads: 2 });
    expect(run).toThrow(BackendWasmError);
    expect(run).toThrow(expect.objectContaining({ name: 'BackendWasmError', code: 'UNSUPPORTED' }));
    x.dispose();
  });
});

describe('bytes that are embedded as text', () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, i) => (i * 37) % 256);
  const text = Buffer.from(bytes).toString('base64');

  it('are read in Node', () => {
    expect([...fromBase64(text)]).toEqual([...bytes]);
  });

  it('are read where there is no Buffer, as in a browser', () => {
    vi.stubGlobal('Buffer', undefined);
    expect([...fromBase64(text)]).toEqual([...bytes]);
  });
});

it('memory is shared when its buffer is, also where that class is another one', () => {
  expect(isShared({ buffer: new ArrayBuffer(8) })).toBe(false);
  expect(isShared({ buffer: new SharedArrayBuffer(8) })).toBe(true);
  // As from a frame or a context of node:vm.
  const foreign = runInNewContext('[new ArrayBuffer(8), new SharedArrayBuffer(8)]') as ArrayBuffer[];
  expect(foreign.map((buffer) => isShared({ buffer }))).toEqual([false, true]);
});
