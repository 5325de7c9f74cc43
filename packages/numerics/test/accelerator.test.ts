import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Accelerator, activeAccelerator, provideAccelerator } from '../src/index.js';

const undo: (() => void)[] = [];

beforeAll(async () => {
  await tf.setBackend('cpu');
});

afterEach(() => {
  for (const takeBack of undo.splice(0)) takeBack();
});

/** One that cannot help with anything. */
function helpless(): Accelerator {
  return {
    loss: () => undefined,
    update: () => false,
    norm: () => undefined,
    allFinite: () => undefined,
    statistics: () => undefined,
    movement: () => undefined,
  };
}

function provide(backend: string, accelerator: Accelerator): () => void {
  const takeBack = provideAccelerator(backend, accelerator);
  undo.push(takeBack);
  return takeBack;
}

describe('the accelerator of the active backend', () => {
  it('is undefined where nobody has provided one', () => {
    expect(activeAccelerator()).toBeUndefined();
  });

  it('is the one that was provided, until it is taken back', () => {
    const own = helpless();
    const takeBack = provide('cpu', own);
    expect(activeAccelerator()).toBe(own);
    takeBack();
    expect(activeAccelerator()).toBeUndefined();
  });

  it('is not that of another backend', () => {
    provide('wasm', helpless());
    expect(activeAccelerator()).toBeUndefined();
  });

  it('follows the active backend', async () => {
    tf.copyRegisteredKernels('cpu', 'twin');
    tf.registerBackend('twin', () => tf.findBackendFactory('cpu')());
    const [ofCpu, ofTwin] = [helpless(), helpless()];
    provide('cpu', ofCpu);
    provide('twin', ofTwin);
    expect(activeAccelerator()).toBe(ofCpu);
    await tf.setBackend('twin');
    expect(activeAccelerator()).toBe(ofTwin);
    await tf.setBackend('cpu');
    expect(activeAccelerator()).toBe(ofCpu);
    tf.removeBackend('twin');
  });

  it('is the last one provided, and the first cannot take it back', () => {
    const second = helpless();
    const takeBackFirst = provide('cpu', helpless());
    provide('cpu', second);
    takeBackFirst();
    expect(activeAccelerator()).toBe(second);
  });

  it('is the one before, when the one that took its place is taken back', () => {
    const first = helpless();
    provide('cpu', first);
    const takeBackSecond = provide('cpu', helpless());
    takeBackSecond();
    expect(activeAccelerator()).toBe(first);
  });

  it('can be taken back twice', () => {
    const takeBack = provide('cpu', helpless());
    takeBack();
    takeBack();
    expect(activeAccelerator()).toBeUndefined();
  });

  it('is seen by a second copy of this package', async () => {
    const own = helpless();
    provide('cpu', own);
    vi.resetModules();
    const copy = await import('../src/accelerator.js');
    expect(copy.activeAccelerator).not.toBe(activeAccelerator);
    expect(copy.activeAccelerator()).toBe(own);
  });
});
