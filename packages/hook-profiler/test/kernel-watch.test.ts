import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, test, vi } from 'vitest';
import { KernelWatch } from '../src/kernel-watch.js';

useBackend('cpu');

/** Of the test: the kernels below wind it forward. */
let now = 0;
let watch: KernelWatch | undefined;
afterEach(() => {
  watch?.stop();
  vi.restoreAllMocks();
  for (const kernelName of ['Inner', 'Outer', 'Failing']) {
    if (tf.getKernel(kernelName, 'cpu')) tf.unregisterKernel(kernelName, 'cpu');
  }
});

/** A kernel that takes so long itself, and does this meanwhile. */
function kernel(kernelName: string, took: number, work: () => void = () => {}): void {
  const kernelFunc = () => {
    now += took;
    work();
    return [];
  };
  tf.registerKernel({ kernelName, backendName: 'cpu', kernelFunc });
}

const call = (name: string) => tf.getKernel(name, 'cpu')!.kernelFunc({ inputs: {}, backend: tf.backend() });

function watched(): KernelWatch {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  watch = new KernelWatch('cpu');
  return watch;
}

test('a kernel is told by its own time: what it calls is not counted twice', () => {
  kernel('Inner', 5);
  kernel('Outer', 2, () => {
    call('Inner');
    call('Inner');
  });
  const { totals } = watched();
  call('Outer');
  call('Inner');
  expect(Object.fromEntries(totals)).toEqual({
    Outer: { calls: 1, milliseconds: 2 },
    Inner: { calls: 3, milliseconds: 15 },
  });
});

test('calls are kept only while they are wanted, and handed over once', () => {
  kernel('Inner', 5);
  const each = watched();
  call('Inner');
  expect(each.takeCalls()).toEqual([]);
  each.keepsCalls = true;
  call('Inner');
  expect(each.takeCalls()).toEqual([{ name: 'Inner', start: 5, end: 10 }]);
  expect(each.takeCalls()).toEqual([]);
});

test('a kernel that throws is counted, and its error comes through', () => {
  kernel('Failing', 3, () => {
    throw new Error('no such shape');
  });
  const { totals } = watched();
  expect(() => call('Failing')).toThrow('no such shape');
  expect(totals.get('Failing')).toEqual({ calls: 1, milliseconds: 3 });
});

test('after the stop the kernels are those of before; one that was replaced meanwhile stays', () => {
  kernel('Inner', 1);
  kernel('Outer', 1);
  const [inner, stock] = ['Inner', 'Outer'].map((name) => tf.getKernel(name, 'cpu')!.kernelFunc);
  const each = watched();
  const ours = tf.getKernel('Outer', 'cpu')!.kernelFunc;
  expect(ours).not.toBe(stock);
  tf.unregisterKernel('Outer', 'cpu');
  tf.registerKernel({ kernelName: 'Outer', backendName: 'cpu', kernelFunc: (params) => ours(params) });
  const theirs = tf.getKernel('Outer', 'cpu')!.kernelFunc;
  each.stop();
  expect(tf.getKernel('Inner', 'cpu')!.kernelFunc).toBe(inner);
  expect(tf.getKernel('Outer', 'cpu')!.kernelFunc).toBe(theirs);
  // Theirs goes on calling ours, which counts no more.
  call('Outer');
  expect(each.totals.size).toBe(0);
});
