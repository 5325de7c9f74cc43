import { fakeContext } from '@hookline/hook-testkit';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { treeOf } from '../src/main/tensor-copy.js';
import { plainEvent, startOf, stateOf, tensorCopies } from '../src/worker/plain-event.js';

beforeAll(() => useBackend());

const OPTIMIZER = {
  name: 'adam',
  groups: [{ name: 'all', lr: 0.1, lrScale: 1, weightDecay: 0.01, extra: () => {} }],
};

describe('an event', () => {
  test('keeps its numbers, and leaves out what holds tensors at any depth', () => {
    const tensor = tf.scalar(1);
    const { payload, withheld } = plainEvent({
      ...{ batchIndex: 3, loss: 0.5, metrics: { a: 1 } },
      ...{ batch: { xs: tensor, ys: [tensor] }, outputs: tensor, nothing: null, empty: [] },
      snapshot: { anything: 1 },
    });
    expect(payload).toEqual({ batchIndex: 3, loss: 0.5, metrics: { a: 1 }, nothing: null, empty: [] });
    expect(withheld).toEqual(['batch', 'outputs', 'snapshot']);
    tensor.dispose();
  });

  test('has its error as text, and its optimizer as numbers', () => {
    const { payload } = plainEvent({ error: new TypeError('no'), optimizer: OPTIMIZER });
    expect(payload.error).toMatchObject({ name: 'TypeError', message: 'no' });
    expect(payload.optimizer).toEqual({
      name: 'adam',
      groups: [{ name: 'all', lr: 0.1, lrScale: 1, weightDecay: 0.01 }],
    });
    expect(structuredClone(payload)).toEqual(payload);
    expect(plainEvent({ optimizer: undefined }).payload).toEqual({ optimizer: undefined });
  });
});

describe('copies of tensors', () => {
  test('are made of the fields that were asked for, and of nothing else', async () => {
    const [one, two] = [tf.tensor2d([[1, 2]]), tf.tensor1d([3, 4], 'int32')];
    const event = { batch: { xs: one, ys: two }, outputs: one, loss: 1 };
    expect(tensorCopies(event, [])).toBeUndefined();
    expect(tensorCopies(event, ['gradients'])).toBeUndefined();
    const before = tf.memory().numTensors;
    const copies = await tensorCopies(event, ['batch', 'gradients']);
    expect(tf.memory().numTensors).toBe(before);
    expect(Object.keys(copies!)).toEqual(['batch']);
    expect(copies!.batch!.map(({ place }) => place)).toEqual([['xs'], ['ys']]);
    tf.dispose([one, two]);
  });

  test('arrive where the tensors were, with shape, kind and values', async () => {
    const tensors = {
      a: tf.tensor2d([[1.5, 2]]),
      b: [tf.tensor1d([true, false], 'bool'), tf.scalar(7, 'int32')],
    };
    const copies = await tensorCopies({ batch: tensors }, ['batch']);
    tf.dispose(tensors);
    const tree = treeOf(structuredClone(copies!.batch!)) as {
      a: { shape: number[]; dataSync(): ArrayLike<number> };
      b: Record<string, { dtype: string; rank: number; dataSync(): ArrayLike<number> }>;
    };
    expect([tree.a.shape, [...Array.from(tree.a.dataSync())]]).toEqual([
      [1, 2],
      [1.5, 2],
    ]);
    expect([tree.b[0]!.dtype, Array.from(tree.b[0]!.dataSync())]).toEqual(['bool', [1, 0]]);
    expect([tree.b[1]!.dtype, tree.b[1]!.rank, Array.from(tree.b[1]!.dataSync())]).toEqual(['int32', 0, [7]]);
  });
});

describe('the state', () => {
  test('is a copy of that moment', () => {
    const { ctx, state } = fakeContext({
      metrics: { 'train/loss': 2 },
      state: { step: 5, epoch: 1, latestLoss: 2, optimizers: [OPTIMIZER] },
    });
    const taken = stateOf(ctx);
    state.step = 6;
    expect(taken).toMatchObject({ step: 5, epoch: 1, latestLoss: 2, metrics: { 'train/loss': 2 } });
    expect(taken.optimizers).toEqual([
      { name: 'adam', groups: [{ name: 'all', lr: 0.1, lrScale: 1, weightDecay: 0.01 }] },
    ]);
    expect(taken.metrics).not.toBe(ctx.metrics);
    expect(structuredClone(taken)).toEqual(taken);
  });

  test('of the start has what does not change', () => {
    const { ctx } = fakeContext({ state: { backend: 'wasm', modelParams: 12 }, run: { id: 'r-1', seed: 3 } });
    const start = startOf(ctx);
    expect(start).toMatchObject({ stage: 'fit', backend: 'wasm', device: 'cpu', modelParams: 12 });
    expect(start.run).toMatchObject({ id: 'r-1', seed: 3 });
    expect(structuredClone(start)).toEqual(start);
  });
});
