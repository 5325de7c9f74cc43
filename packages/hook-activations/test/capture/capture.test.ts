import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openSafetensors } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/index.js';
import { managed, SEQUENCE, STREAM, values, X } from '../managed.js';
import { Blocks, mixed, numbers } from '../models.js';

describe('a capture hook', () => {
  test('keeps inputs and outputs of every call, with where and when', () => {
    const { manager, someModel } = managed();
    const id = manager.registerCaptureHook('second', { id: 'hidden', layerIndex: 1 });
    expect(id).toBe('hidden');
    run(someModel, X);
    run(someModel, tf.neg(X), { training: true });
    const states = manager.getCapturedStates('hidden');
    expect(states).toMatchObject([
      {
        id: 'hidden',
        path: 'second',
        layerIndex: 1,
        callIndex: 0,
        training: false,
        step: undefined,
        bytes: 4 * 14,
      },
      { id: 'hidden', path: 'second', layerIndex: 1, callIndex: 0, training: true },
    ]);
    expect(states[1]!.pass).toBeGreaterThan(states[0]!.pass);
    const [first, second] = someModel.layers;
    const input = first!.apply(X) as tf.Tensor;
    expect(states[0]!.inputs).toEqual([
      { dtype: 'float32', shape: [2, 4], data: Float32Array.from(numbers(input)) },
    ]);
    expect(values(states[0]!)).toEqual(numbers(second!.apply(input)));
  });

  test('takes a layer, a filter, or the points of a module; each use of a layer is a state', () => {
    const { manager, someModel } = managed({}, mixed());
    const shared = someModel.getLayer('shared');
    const ids = [
      manager.registerCaptureHook(shared, { captureInput: false }),
      manager.registerCaptureHook(/cell$/, { captureOutput: false }),
    ];
    expect(ids).toEqual(['capture_1', 'capture_2']);
    run(someModel, SEQUENCE);
    expect(
      manager.getCapturedStates('capture_1').map(({ path, callIndex }) => `${path} ${callIndex}`),
    ).toEqual(['shared 0', 'shared 1']);
    const steps = manager.getCapturedStates('capture_2');
    expect(steps.map(({ inputs, outputs }) => [inputs.length, outputs.length])).toEqual(
      Array(4).fill([3, 0]),
    );
    const points = managed({}, new Blocks());
    points.manager.registerCaptureHook('block_*/out', { id: 'stream' });
    run(points.someModel as never, STREAM);
    expect(points.manager.getCapturedStates('stream').map(({ path }) => path)).toEqual([
      'block_1/out',
      'block_2/out',
    ]);
  });

  test('holds copies: what happens to the tensors later does not reach them', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a' });
    const x = tf.ones([1, 3]);
    run(someModel, x);
    x.dataSync().fill(9); // on cpu this is the tensor's own memory
    expect([...manager.getCapturedStates('a')[0]!.inputs[0]!.data]).toEqual([1, 1, 1]);
  });

  test('can keep tensors on the device, without a copy, until they are dropped', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 2 });
    manager.registerCaptureHook('first', { id: 'a', store: 'device', captureInput: false });
    for (let i = 0; i < 4; i++) tf.dispose(run(someModel, X));
    const before = tf.memory().numTensors;
    const captured = manager.getCapturedTensors('a');
    expect(captured.map(({ outputs }) => outputs.length)).toEqual([1, 1]);
    expect(numbers(captured[0]!.outputs[0])).toEqual(values(manager.getCapturedStates('a')[0]!));
    manager.clearCapturedStates('a');
    expect(tf.memory().numTensors).toBe(before - 2);
    expect(captured[0]!.outputs[0]!.isDisposed).toBe(true);
    manager.registerCaptureHook('first', { id: 'host' });
    tf.dispose(run(someModel, X));
    expect(() => manager.getCapturedTensors('host')).toThrow("store: 'device'");
  });

  test('can keep statistics in place of tensors', () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a', store: 'statistics' });
    manager.registerCaptureHook('first', { id: 'b' });
    run(someModel, X);
    const [state] = manager.getCapturedStates('a');
    const output = values(manager.getCapturedStates('b')[0]!);
    expect(state).toMatchObject({ inputs: [], outputs: [], bytes: 128 });
    const mean = output.reduce((a, b) => a + b) / 8;
    const [summary] = state!.statistics!.outputs;
    expect(summary).toMatchObject({
      shape: [2, 4],
      min: Math.min(...output),
      max: Math.max(...output),
      sparsity: output.filter((value) => value === 0).length / 8,
      nonFinite: 0,
    });
    expect(summary!.mean).toBeCloseTo(mean, 6);
    expect(summary!.std).toBeCloseTo(Math.sqrt(output.reduce((sum, v) => sum + (v - mean) ** 2, 0) / 8), 6);
    expect(summary!.norm).toBeCloseTo(Math.hypot(...output), 5);
    expect(state!.statistics!.inputs[0]).toMatchObject({ shape: [2, 3], max: 3 });
  });
});

describe('the limits', () => {
  test('keep the newest states of each hook', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 3 });
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerCaptureHook('second', { id: 'b' });
    const passes: number[] = [];
    for (let i = 0; i < 5; i++) {
      run(someModel, X);
      passes.push(manager.getCapturedStates('a').at(-1)!.pass);
    }
    for (const id of ['a', 'b'])
      expect(manager.getCapturedStates(id).map(({ pass }) => pass)).toEqual(passes.slice(2));
  });

  test('keep all hooks together within the bytes, the oldest out first', () => {
    // A pass takes (6 + 8) * 4 and (8 + 6) * 4 bytes: three states of 56 bytes fit.
    const { manager, someModel } = managed({ memoryLimitMb: 3.5 * (56 / 2 ** 20) });
    manager.registerCaptureHook('first', { id: 'a' });
    manager.registerCaptureHook('second', { id: 'b' });
    const held = () => ['a', 'b'].map((id) => manager.getCapturedStates(id).length);
    const seen: number[][] = [];
    for (let i = 0; i < 4; i++) {
      run(someModel, X);
      seen.push([...held(), manager.capturedBytes]);
    }
    expect(seen).toEqual([
      [1, 1, 112],
      [1, 2, 168],
      [1, 2, 168],
      [1, 2, 168],
    ]);
    manager.clearCapturedStates('b');
    expect([...held(), manager.capturedBytes]).toEqual([1, 0, 56]);
    manager.clearCapturedStates();
    expect(manager.capturedBytes).toBe(0);
  });

  test('refuse a state that is larger than everything allowed, with its size', () => {
    const { manager, someModel } = managed({ memoryLimitMb: 0.0001 });
    manager.registerCaptureHook('first', { id: 'a' });
    const before = tf.memory().numTensors;
    expect(() =>
      run(
        someModel,
        tf.tidy(() => tf.keep(tf.ones([100, 3]))),
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'STATE_TOO_LARGE',
        message: expect.stringContaining('One state of "first" for capture hook "a" takes 2.7 kB'),
      }),
    );
    expect(tf.memory().numTensors).toBe(before + 1); // the input
  });

  test('drop what is older than the cleanup interval', () => {
    const { manager, someModel } = managed({ cleanupInterval: 3 });
    manager.registerCaptureHook('first', { id: 'a' });
    const counts = Array.from({ length: 9 }, () => {
      run(someModel, X);
      return manager.getCapturedStates('a').length;
    });
    // After 3, 6 and 9 passes those that are older than 3 are gone.
    expect(counts).toEqual([1, 2, 3, 4, 5, 4, 5, 6, 4]);
  });

  test('hold for tensors on the device as well: none is left behind', () => {
    const { manager, someModel } = managed({ maxCapturedStates: 5, memoryLimitMb: 0.001 });
    manager.registerCaptureHook('**', { id: 'a', store: 'device' });
    tf.dispose(run(someModel, X));
    manager.clearCapturedStates();
    const before = tf.memory().numTensors;
    for (let i = 0; i < 20; i++) tf.dispose(run(someModel, X));
    expect(tf.memory().numTensors).toBeLessThanOrEqual(before + 10);
    manager.removeHook('a');
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('captured states', () => {
  test('can be handed to a worker thread, moved or copied', async () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('**', { id: 'a' });
    run(someModel, X);
    const states = manager.getCapturedStates('a');
    const sums = states.map((state) => values(state).reduce((a, b) => a + b));
    const worker = new Worker(
      `const { parentPort } = require('node:worker_threads');
       parentPort.once('message', (states) => parentPort.postMessage(states.map((state) => ({
         path: state.path,
         isFloat32: state.outputs[0].data instanceof Float32Array,
         sum: state.outputs[0].data.reduce((a, b) => a + b),
       }))));`,
      { eval: true },
    );
    try {
      const answer = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
      worker.postMessage(
        states,
        states.flatMap(({ outputs }) => outputs.map(({ data }) => data.buffer as ArrayBuffer)),
      );
      expect(await answer).toEqual(
        ['first', 'second', 'out'].map((path, i) => ({
          path,
          isFloat32: true,
          sum: Math.fround(sums[i]!) === sums[i] ? sums[i] : expect.closeTo(sums[i]!, 5),
        })),
      );
    } finally {
      await worker.terminate();
    }
  });

  test('are written to a safetensors file, with where and when', async () => {
    const folder = tempFolder();
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'a', layerIndex: 0 });
    manager.registerCaptureHook('out', { id: 'b', captureInput: false });
    run(someModel, X);
    run(someModel, X);
    const file = join(folder, 'states.safetensors');
    await manager.saveCapturedStates(file);
    const opened = await openSafetensors(file);
    try {
      expect([...opened.tensors.keys()].sort()).toEqual([
        'a/0/first/input',
        'a/0/first/output',
        'a/1/first/input',
        'a/1/first/output',
        'b/0/out/output',
        'b/1/out/output',
      ]);
      const read = await opened.read('a/1/first/output');
      expect([...(read.data as Float32Array)]).toEqual(values(manager.getCapturedStates('a')[1]!));
      expect(JSON.parse(opened.metadata.get('a/1/first')!)).toMatchObject({
        id: 'a',
        layerIndex: 0,
        path: 'first',
      });
    } finally {
      await opened.close();
    }
    await manager.saveCapturedStates(file, 'b');
  });
});
