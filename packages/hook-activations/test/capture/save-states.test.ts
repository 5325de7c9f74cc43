import { join } from 'node:path';
import type { ForwardOptions } from '@hookline/hook-api';
import { openSafetensors } from '@hookline/safetensors/node';
import { tempFolder } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { expect, test } from 'vitest';
import { run, type TapManager } from '../../src/index.js';
import { managed, SEQUENCE, X } from '../managed.js';
import { mixed } from '../models.js';
import { onDevice } from '../pretend-device.js';

/** What is in the file that the manager writes: names with dtype and shape, and the metadata. */
async function saved(manager: TapManager, id?: string) {
  const file = join(tempFolder(), 'states.safetensors');
  await manager.saveCapturedStates(file, id);
  const opened = await openSafetensors(file);
  try {
    const tensors = [...opened.tensors].map(([name, { dtype, shape }]) => `${name} ${dtype} [${shape}]`);
    const metadata = [...opened.metadata].map(([name, text]) => [name, JSON.parse(text)] as const);
    return { tensors: tensors.sort(), metadata: new Map(metadata) };
  } finally {
    await opened.close();
  }
}

test('a file holds the states of the hook that is named, and no others', async () => {
  const { manager, someModel } = managed();
  manager.registerCaptureHook('first', { id: 'a' });
  manager.registerCaptureHook('out', { id: 'b', captureInput: false });
  tf.dispose(run(someModel, X));
  expect((await saved(manager, 'b')).tensors).toEqual(['b/0/out/output F32 [2,1]']);
  await expect(saved(manager, 'c')).rejects.toThrow('There is no hook with the id "c".');
});

test('further inputs and outputs of a call are numbered', async () => {
  const { manager, someModel } = managed({}, mixed());
  manager.registerCaptureHook('lstm/cell', { id: 'cell' });
  tf.dispose(run(someModel, SEQUENCE));
  const { tensors, metadata } = await saved(manager);
  expect(tensors.slice(0, 6)).toEqual(
    ['input', 'input_2', 'input_3', 'output', 'output_2', 'output_3'].map(
      (name) => `cell/0/lstm/cell/${name} F32 [2,3]`,
    ),
  );
  expect([...metadata.values()].map(({ callIndex }) => callIndex)).toEqual([0, 1, 2, 3]);
});

test('whole numbers and booleans keep their type, in memory and in the file', async () => {
  const module = {
    parameters: () => ({}),
    forward(xs: tf.Tensor, { tap }: ForwardOptions) {
      tap('isPositive', tf.greater(xs, 0));
      return tap('sign', tf.cast(tf.sign(xs), 'int32'));
    },
  };
  const { manager } = managed({}, module as never);
  manager.registerCaptureHook('**', { id: 'a' });
  const x = tf.tensor1d([-2, 0, 3]);
  tf.dispose(run(module as never, x));
  expect(manager.getCapturedStates('a').map(({ outputs, bytes }) => [outputs[0], bytes])).toEqual([
    [{ dtype: 'bool', shape: [3], data: Uint8Array.of(0, 0, 1) }, 3],
    [{ dtype: 'int32', shape: [3], data: Int32Array.of(-1, 0, 1) }, 12],
  ]);
  expect((await saved(manager)).tensors).toEqual([
    'a/0/isPositive/output BOOL [3]',
    'a/1/sign/output I32 [3]',
  ]);
  x.dispose();
});

test('statistics are saved with where and when, without tensors', async () => {
  const { manager, someModel } = managed();
  manager.registerCaptureHook('second', { id: 's', store: 'statistics', captureInput: false, layerIndex: 4 });
  tf.dispose(run(someModel, X));
  const { tensors, metadata } = await saved(manager);
  expect(tensors).toEqual([]);
  expect(metadata.get('s/0/second')).toMatchObject({
    ...{ id: 's', layerIndex: 4, path: 'second', callIndex: 0, training: false },
    statistics: { inputs: [], outputs: [{ shape: [2, 3], nonFinite: 0 }] },
  });
});

test('states that wait on a device are fetched for the file, and those that live there stay', async () => {
  await onDevice(async () => {
    const { manager, someModel } = managed();
    manager.registerCaptureHook('first', { id: 'host', captureInput: false });
    manager.registerCaptureHook('first', { id: 'device', captureInput: false, store: 'device' });
    const { numTensors } = tf.memory();
    tf.dispose(run(someModel, X));
    expect((await saved(manager)).tensors).toEqual([
      'device/0/first/output F32 [2,4]',
      'host/0/first/output F32 [2,4]',
    ]);
    expect(tf.memory().numTensors).toBe(numTensors + 1);
    expect(manager.getCapturedTensors('device')[0]!.outputs[0]!.isDisposed).toBe(false);
  });
});
