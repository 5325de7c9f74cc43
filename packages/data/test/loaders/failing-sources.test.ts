import type { Batch } from '@hookline/hook-api';
import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { combine, DataLoader } from '../../src/index.js';
import { expectError, feedError, feedOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const xs = [0, 1, 2, 3].map((i) => [i, 0, 0]);
const ys = [[0], [1], [2], [3]];
const batch = (): Batch => ({ xs: tf.ones([2, 3]), ys: tf.zeros([2, 1]) });

describe('a source that throws', () => {
  const failing = (after: number, closed: string[] = []) =>
    async function* () {
      try {
        for (let i = 0; i < after; i++) yield batch();
        throw new TypeError('the disk is gone');
      } finally {
        closed.push('closed');
      }
    };

  test('is named with loader, epoch and batch, and the cause is kept', async () => {
    const error = await feedError({ good: [{ xs, ys }], bad: failing(2) });
    expectError(error, 'LOADER_FAILED', 'Loader "bad" failed at epoch 1, batch 4: the disk is gone');
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('in a later epoch, before anything came, or with something that is not an Error', async () => {
    let epochs = 0;
    const later = () => (epochs++ === 0 ? [batch()] : failing(1)());
    expectError(await feedError(later), 'LOADER_FAILED', 'epoch 2, batch 2');
    expectError(await feedError(failing(0)), 'LOADER_FAILED', 'epoch 1, batch 1');
    const odd = async function* () {
      yield batch();
      throw 'nothing but text';
    };
    expectError(await feedError(odd), 'LOADER_FAILED', 'batch 2: nothing but text');
    const early = () => {
      throw new Error('not even begun');
    };
    expectError(
      await feedError(early),
      'LOADER_FAILED',
      'Loader "train" failed at epoch 1, batch 1: not even begun',
    );
  });

  test('the other sources are closed', async () => {
    const closed: string[] = [];
    const endless = async function* () {
      try {
        for (;;) yield batch();
      } finally {
        closed.push('endless');
      }
    };
    const data = combine({ endless, bad: failing(1, closed) }, { strategy: 'roundRobin' });
    expectError(await feedError(data), 'LOADER_FAILED', 'Loader "bad" failed at epoch 1, batch 4');
    expect(closed.sort()).toEqual(['closed', 'endless']);
  });

  test('an iterator whose next() throws is closed', async () => {
    let returned = 0;
    const iterator = {
      next: () => {
        throw new Error('broken');
      },
      return: () => {
        returned++;
        return { value: undefined, done: true as const };
      },
    };
    await feedError(() => ({ [Symbol.iterator]: () => iterator }));
    await feedError(() => ({ [Symbol.asyncIterator]: () => iterator }));
    expect(returned).toBe(2);
  });

  test('an error while closing is reported, unless there was one before', async () => {
    const bad = async function* () {
      try {
        for (;;) yield batch();
      } finally {
        // biome-ignore lint/correctness/noUnsafeFinally: what a bad source does.
        throw new Error('cannot close');
      }
    };
    const leave = async () => {
      for await (const { batch } of feedOf(bad).epoch(0)) {
        tf.dispose(batch as never);
        break;
      }
    };
    expectError(await errorOf(leave), 'LOADER_FAILED', 'Loader "train"', 'cannot close');
    const data = combine({ bad, worse: failing(1) }, { strategy: 'roundRobin' });
    expect((await feedError(data)).message).toContain('the disk is gone');
  });

  test('one of several samples that are fetched at once', async () => {
    const source = {
      length: 4,
      at: async (index: number) => {
        if (index === 2) throw new Error('no file 2');
        return { xs: tf.ones([3]), ys: tf.zeros([1]) };
      },
    };
    const error = await feedError(new DataLoader(source, { samples: true }));
    expectError(error, 'LOADER_FAILED', 'Loader "train" failed at epoch 1, batch 1: no file 2');
  });

  test('a collate function', async () => {
    const source = () => [{ xs: tf.ones([3]) }, { xs: tf.ones([3]) }].values();
    const collate = () => {
      throw new Error('cannot collate');
    };
    expectError(await feedError(new DataLoader(source, { collate })), 'LOADER_FAILED', 'cannot collate');
    const nothing = new DataLoader(source, { collate: () => undefined as never });
    expectError(await feedError(nothing), 'BAD_DATA', 'Batch 1 of loader "train" has no xs');
  });
});
