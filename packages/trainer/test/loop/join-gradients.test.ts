import { HooklineError } from '@hookline/hook-api';
import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Collective } from '../../src/index.js';
import { BUCKET, joinGradients } from '../../src/loop/join-gradients.js';
import { World } from '../../src/strategies/world.js';
import { ranksInProcess } from '../support/ranks-in-process.js';

/** The second one lies in three buckets, and the first two in one. */
const SIZES = { first: BUCKET - 12, bias: 10, second: BUCKET + 5, last: 7 };
const NAMES = Object.keys(SIZES) as (keyof typeof SIZES)[];
const BUFFER = 3;
const LENGTH = Object.values(SIZES).reduce((sum, size) => sum + size, BUFFER);
const WEIGHTS = [0.5, 0.2, 0.3];

/** Not the same backwards: another order of adding up has other bits. */
const given = (rank: number, index: number) => Math.fround(((index % 101) + 0.1) * 7 ** rank);

/** All values of a rank in a row; one that has no samples has no numbers. */
function valuesOf(rank: number, weight: number): Float32Array {
  const values = new Float32Array(LENGTH);
  for (let index = 0; index < LENGTH; index++) values[index] = weight === 0 ? Number.NaN : given(rank, index);
  return values;
}

function gradientsOf(values: Float32Array): Record<string, tf.Tensor> {
  let start = 0;
  return Object.fromEntries(
    NAMES.map((name) => {
      const part = values.slice(start, start + SIZES[name]);
      start += SIZES[name];
      return [name, tf.tensor1d(part)];
    }),
  );
}

/** What one sum over everything gives, in the order of ranks. */
function expected(weights: readonly number[]): Float32Array {
  const sums = new Float32Array(LENGTH);
  for (const [rank, weight] of weights.entries()) {
    if (weight === 0) continue;
    for (let index = 0; index < LENGTH; index++) {
      sums[index] = sums[index]! + Math.fround(given(rank, index) * weight);
    }
  }
  return sums;
}

/** The joined gradients of each rank in a row, with its buffer at the end. */
function joinAll(collectives: readonly Collective[], weights: readonly number[]): Promise<Float32Array[]> {
  return Promise.all(
    collectives.map(async (collective, rank) => {
      const values = valuesOf(rank, weights[rank]!);
      const buffer = tf.tidy(() => tf.variable(tf.tensor1d(values.slice(-BUFFER))));
      try {
        const world = new World('test', collective);
        const joined = await joinGradients(world, gradientsOf(values), [buffer], weights[rank]!);
        const all = tf.tidy(() => tf.concat([...NAMES.map((name) => joined[name]!), buffer]).dataSync());
        tf.dispose(joined);
        return all as Float32Array;
      } finally {
        buffer.dispose();
      }
    }),
  );
}

const bits = (values: Float32Array) => Buffer.from(values.buffer, values.byteOffset, values.byteLength);

beforeEach(() => useBackend());

describe('gradients of several buckets', () => {
  test('have the bits of one sum over all of them, on every rank', async () => {
    for (const joined of await joinAll(ranksInProcess(3), WEIGHTS)) {
      expect(bits(joined).equals(bits(expected(WEIGHTS)))).toBe(true);
    }
  });

  test('are on their way one by one: the first is, before the second is packed', async () => {
    const begun: number[] = [];
    let settled = 0;
    const watched = ranksInProcess(2).map(
      (collective): Collective => ({
        ...collective,
        sum: async (values) => {
          if (collective.rank === 0) begun.push(values.length);
          if (begun.length < 3) expect(settled).toBe(0);
          await collective.sum(values);
          settled++;
        },
      }),
    );
    await joinAll(watched, WEIGHTS);
    expect(begun).toEqual([BUCKET, BUCKET, LENGTH - 2 * BUCKET]);
  });

  test('of a rank without samples count nothing, whatever they are', async () => {
    const weights = [1, 0, 0];
    for (const joined of await joinAll(ranksInProcess(3), weights)) {
      expect(bits(joined).equals(bits(expected(weights)))).toBe(true);
    }
  });

  test('fail with the error of the bucket that did, and leave no tensor behind', async () => {
    const before = tf.memory().numTensors;
    const failing = ranksInProcess(2).map((collective): Collective => {
      let sums = 0;
      const failure = new HooklineError('RANK_FAILED', 'Rank 1 is gone.');
      return {
        ...collective,
        sum: (values) => (++sums < 2 ? collective.sum(values) : Promise.reject(failure)),
      };
    });
    await expect(joinAll(failing, WEIGHTS)).rejects.toMatchObject({ code: 'RANK_FAILED' });
    expect(tf.memory().numTensors).toBe(before);
  });
});
