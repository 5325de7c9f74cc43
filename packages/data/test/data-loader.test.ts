import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { DataLoader, type Sample } from '../src/index.js';
import { numbersOf } from './plain-batches.js';

beforeAll(() => useBackend('cpu'));

const count = 10;
const range = Array.from({ length: count }, (_, i) => i);
const xs = range.map((i) => [i]);
const samples: Sample[] = range.map((i) => ({ xs: [i], ys: [i * 10], weights: i + 1 }));

describe('in a loop of your own', () => {
  test('each loop is an epoch, and one that was left continues where it was', async () => {
    const loader = new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 });
    const whole = new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 });
    const [first, second] = [await numbersOf(whole), await numbersOf(whole)];
    const seen: number[] = [];
    for await (const batch of loader) {
      seen.push(...((batch.xs as tf.Tensor).dataSync() as Float32Array));
      tf.dispose(batch.xs as tf.Tensor);
      if (seen.length === 6) break;
    }
    expect([...seen, ...(await numbersOf(loader))]).toEqual(first);
    expect(await numbersOf(loader)).toEqual(second);
  });

  test.each([
    ['a table', () => new DataLoader({ xs }, { batchSize: 2, shuffle: true, seed: 5 })],
    [
      'an array of batches',
      () =>
        new DataLoader(
          range.map((i) => ({ xs: [[i]] })),
          { shuffle: true, seed: 5 },
        ),
    ],
    [
      'samples by number',
      () => new DataLoader(samples, { samples: true, batchSize: 3, shuffle: true, seed: 5 }),
    ],
    [
      'a shuffled stream of samples',
      () =>
        new DataLoader(() => samples[Symbol.iterator](), {
          samples: true,
          batchSize: 2,
          shuffle: true,
          shuffleBuffer: 4,
          seed: 5,
        }),
    ],
    [
      'a stream of batches',
      () =>
        new DataLoader(async function* () {
          for (const i of range) yield { xs: [[i]] };
        }),
    ],
  ])('the place in %s can be saved: the next sample is the very next', async (_name, make) => {
    const whole = make();
    const expected = [...(await numbersOf(whole)), ...(await numbersOf(whole))];
    for (const stopAfter of [1, 2, 3, 4, 6, 7]) {
      const first = make();
      const seen: number[] = [];
      let batches = 0;
      outer: for (;;) {
        for await (const batch of first) {
          seen.push(...((batch.xs as tf.Tensor).dataSync() as Float32Array));
          tf.dispose(batch.xs as tf.Tensor);
          if (++batches === stopAfter) break outer;
        }
      }
      const state = JSON.parse(JSON.stringify(first.saveState()));
      const second = make();
      second.loadState(state);
      while (seen.length < expected.length) seen.push(...(await numbersOf(second)));
      expect(seen, `after ${stopAfter} batches`).toEqual(expected);
    }
  });

  test('the place at the end of an epoch is the start of the next, in its order', async () => {
    const make = () => new DataLoader({ xs }, { batchSize: 4, shuffle: true, seed: 5 });
    const whole = make();
    expect(whole.saveState()).toMatchObject({ epoch: 0, batch: 0 });
    await numbersOf(whole);
    expect(whole.saveState()).toMatchObject({ epoch: 1, batch: 0 });
    const resumed = make();
    resumed.loadState(JSON.parse(JSON.stringify(whole.saveState())));
    expect(await numbersOf(resumed)).toEqual(await numbersOf(whole));
  });

  test('a loop that is left at the last batch of an epoch leaves nothing of it', async () => {
    const loader = new DataLoader({ xs }, { batchSize: 5 });
    let batches = 0;
    for await (const batch of loader) {
      tf.dispose(batch.xs as tf.Tensor);
      if (++batches === 2) break;
    }
    expect(await numbersOf(loader)).toEqual([]);
    expect(await numbersOf(loader)).toEqual(range);
  });

  test('a source that fails leaves the place where it was: the next loop asks for the same batch', async () => {
    let isBroken = true;
    const loader = new DataLoader(async function* () {
      for (const i of range.slice(0, 4)) {
        if (i === 2 && isBroken) throw new Error('the disk is gone');
        yield { xs: [[i]] };
      }
    });
    await expect(numbersOf(loader)).rejects.toThrow('the disk is gone');
    expect(loader.saveState()).toMatchObject({ epoch: 0, batch: 2 });
    isBroken = false;
    expect(await numbersOf(loader)).toEqual([2, 3]);
  });
});
