import type { Batch } from '@hookline/hook-api';
import { collectingLogger, errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { batchCount, batchesOf, DataLoader, type Feed, type Loader, loadersOf } from '../../src/index.js';
import { expectError, feedOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const batchOf = (value: number): Batch => ({ xs: tf.tensor2d([[value]]) });

/** A loader as a user writes it. */
function own(change: Partial<Loader> = {}): Loader {
  return { name: 'own', batches: 3, owned: true, epoch: () => [1, 2, 3].map(batchOf), ...change };
}

describe('a loader that the user wrote', () => {
  test('gives its batches as they are, under its own name', async () => {
    const feed = feedOf(own());
    expect(feed.loaders.map(({ name }) => name)).toEqual(['own']);
    expect(await readFeed(feed)).toEqual([{ xs: [[1]] }, { xs: [[2]] }, { xs: [[3]] }]);
  });

  test('says for each batch whether it is to be disposed', async () => {
    const kept = batchOf(1);
    const loader = own({ epoch: () => [kept, batchOf(2)], owned: (batch) => batch !== kept });
    const owned: boolean[] = [];
    for await (const batch of feedOf(loader).epoch(0)) owned.push(batch.owned);
    expect(owned).toEqual([false, true]);
  });

  test('is not checked for values that are not finite, unless that is asked for', async () => {
    const loader = own({ epoch: () => [batchOf(Number.NaN)] });
    expect(await readFeed(feedOf(loader))).toEqual([{ xs: [[Number.NaN]] }]);
    const checked = new DataLoader(own({ epoch: () => [batchOf(Number.NaN)] }), { checkData: true });
    expectError(await errorOf(readFeed(feedOf(checked))), 'BAD_DATA', 'Batch 1 of loader "own"', 'NaN');
  });

  test.each(['name', 'batchSize', 'shuffle', 'seed', 'shapes'] as const)(
    'decides about %s, so that the option is refused',
    async (option) => {
      const value = { name: 'x', batchSize: 1, shuffle: true, seed: 1, shapes: {} }[option];
      const loader = new DataLoader(own(), { [option]: value });
      expectError(await errorOf(async () => feedOf(loader)), 'BAD_OPTIONS', option, 'you wrote yourself');
    },
  );

  test('may be a class whose methods use this', async () => {
    class Counter implements Loader {
      readonly name = 'counter';
      readonly batches = 2;
      readonly owned = true;
      #first = 10;
      *epoch(epoch: number) {
        yield batchOf(this.#first + epoch);
        yield batchOf(this.#first + epoch + 1);
      }
    }
    expect(await readFeed(feedOf(new Counter()))).toEqual([{ xs: [[10]] }, { xs: [[11]] }]);
  });
});

describe('how many batches an epoch has', () => {
  const defaults = { batchSize: 4, shuffle: false, seed: 1, shapes: undefined };
  const countOf = (data: Parameters<typeof loadersOf>[0]) => batchCount(loadersOf(data, 'train', defaults));
  const xs = Array.from({ length: 10 }, (_, i) => [i]);

  test('is known of tables, arrays and samples by number', () => {
    expect(countOf({ xs })).toBe(3);
    expect(countOf([{ xs }, { xs }])).toBe(2);
    expect(countOf(new DataLoader({ xs }, { dropLast: true }))).toBe(2);
    expect(countOf(new DataLoader({ length: 9, at: () => ({ xs: 1 }) }, { samples: true }))).toBe(3);
    expect(countOf(new DataLoader({ length: 9, at: () => ({ xs: 1 }) }))).toBe(3);
    expect(countOf(own())).toBe(3);
  });

  test('is that of all loaders together, and unknown where one of them does not know', () => {
    expect(countOf({ a: { xs }, b: [{ xs }] })).toBe(4);
    expect(countOf({ a: { xs }, b: async function* () {} })).toBeUndefined();
    expect(countOf(own({ batches: undefined }))).toBeUndefined();
  });
});

test('batchesOf reads an epoch of several loaders, one after the other', async () => {
  const seen: string[] = [];
  for await (const { batch, batchIndex, loaderName } of batchesOf([own(), own({ name: 'b' })], 0)) {
    seen.push(`${batchIndex} ${loaderName}`);
    tf.dispose(batch as never);
  }
  expect(seen).toEqual(['0 own', '1 own', '2 own', '3 b', '4 b', '5 b']);
});

test('a source that never ends when it is closed does not hold up the reader, and is named', async () => {
  const stuck = async function* () {
    yield batchOf(1);
    await new Promise(() => {});
  };
  const feed: Feed = feedOf(stuck);
  const logger = collectingLogger();
  feed.logger = logger;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  let left = false;
  const leave = (async () => {
    for await (const { batch } of feed.epoch(0)) {
      tf.dispose(batch as never);
      break;
    }
    left = true;
  })();
  for (let seconds = 0; !left && seconds < 100; seconds++) {
    await new Promise(setImmediate);
    vi.advanceTimersByTime(1000);
  }
  await leave;
  expect(logger.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    expect.stringContaining('warn: Loader "train" did not end within 5 seconds of being closed'),
  ]);
});

test('a table costs no turn of the event loop: its batches come without waiting', async () => {
  const feed = feedOf({ xs: [[1], [2], [3]] }, { batchSize: 1 });
  let turns = 0;
  let reading = true;
  const count = () => {
    turns++;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  await readFeed(feed, 50);
  reading = false;
  expect(turns).toBeLessThan(5);
});
