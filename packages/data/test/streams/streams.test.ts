import { errorOf, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { closedOnFailure } from '../../src/streams/closed-on-failure.js';
import { grouped } from '../../src/streams/grouped.js';
import { shuffleBuffer } from '../../src/streams/shuffle-buffer.js';
import { isAsync, openStream } from '../../src/streams/stream.js';

beforeAll(() => useBackend('cpu'));

async function* chunksOf<Item>(...chunks: Item[][]): AsyncGenerator<Item[], void> {
  yield* chunks;
}

async function listOf<Item>(items: AsyncIterable<Item> | Iterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** An iterator without a generator behind it, which fails at its third item. */
function byHand() {
  const calls: string[] = [];
  let count = 0;
  const iterator = {
    next: () => {
      calls.push('next');
      if (count++ === 2) throw new Error('broken');
      return { value: count, done: false as const };
    },
    return: () => {
      calls.push('return');
      return { value: undefined, done: true as const };
    },
  };
  return { calls, iterator };
}

function fail(error: Error): never {
  throw error;
}

describe('an iterator that was written by hand is closed', () => {
  test.each([
    ['synchronous', (iterator: object) => ({ [Symbol.iterator]: () => iterator })],
    ['asynchronous', (iterator: object) => ({ [Symbol.asyncIterator]: () => iterator })],
  ])('when its next() throws: %s', async (_name, iterable) => {
    const { calls, iterator } = byHand();
    const error = await errorOf(listOf(closedOnFailure(iterable(iterator) as Iterable<number>)));
    expect(error.message).toBe('broken');
    expect(calls).toEqual(['next', 'next', 'next', 'return']);
  });

  test.each([
    ['synchronous', (iterator: object) => ({ [Symbol.iterator]: () => iterator })],
    ['asynchronous', (iterator: object) => ({ [Symbol.asyncIterator]: () => iterator })],
  ])('when the loop leaves early: %s', async (_name, iterable) => {
    const { calls, iterator } = byHand();
    for await (const _ of closedOnFailure(iterable(iterator) as Iterable<number>)) break;
    expect(calls).toEqual(['next', 'return']);
  });

  test.each([
    ['synchronous', Symbol.iterator, (error: Error) => fail(error)],
    ['asynchronous', Symbol.asyncIterator, async (error: Error) => fail(error)],
  ])('and the first error counts when closing fails, too: %s', async (_name, key, failing) => {
    const iterator = {
      next: () => failing(new Error('first')),
      return: () => failing(new Error('second')),
    };
    const stream = closedOnFailure({ [key]: () => iterator } as unknown as Iterable<number>);
    expect((await errorOf(listOf(stream))).message).toBe('first');
  });

  test('one without return() is left alone', async () => {
    const { iterator } = byHand();
    const stream = { [Symbol.iterator]: () => ({ next: iterator.next }) };
    expect((await errorOf(listOf(closedOnFailure(stream)))).message).toBe('broken');
  });
});

test('arrays and generators are used as they are', () => {
  const generator = (function* () {})();
  const list = [1, 2];
  expect(closedOnFailure(generator)).toBe(generator);
  expect(closedOnFailure(list)).toBe(list);
});

describe('items are grouped', () => {
  const grouping = { size: 2, dropLast: false, skip: 0 };

  test('across chunks of any size, the last group smaller', async () => {
    const groups = await listOf(grouped(chunksOf([1], [], [2, 3, 4, 5]), grouping));
    expect(groups).toEqual([[1, 2], [3, 4], [5]]);
  });

  test('without the last group when it is not full', async () => {
    expect(await listOf(grouped(chunksOf([1, 2, 3]), { ...grouping, dropLast: true }))).toEqual([[1, 2]]);
  });

  test('from a later group on', async () => {
    expect(await listOf(grouped(chunksOf([1, 2, 3, 4, 5]), { ...grouping, skip: 2 }))).toEqual([[5]]);
  });

  test('and counted, those that were left out as well', async () => {
    const groups = grouped(chunksOf([1, 2, 3, 4, 5]), { size: 2, dropLast: true, skip: 1 });
    expect((await groups.next()).value).toEqual([3, 4]);
    expect(await groups.next()).toEqual({ value: 5, done: true });
  });

  test('and what is left out is disposed', async () => {
    const items = [0, 1, 2, 3, 4].map((i) => ({ xs: tf.scalar(i) }));
    await listOf(grouped(chunksOf(items), { size: 2, dropLast: true, skip: 1 }));
    expect(items.map(({ xs }) => xs.isDisposed)).toEqual([true, true, false, false, true]);
  });
});

describe('a shuffle buffer', () => {
  const numbers = Array.from({ length: 30 }, (_, i) => i);
  const shuffled = async (size: number, seed: number) =>
    (await listOf(shuffleBuffer(chunksOf(numbers.slice(0, 7), numbers.slice(7)), size, seed))).flat();

  test('gives every item once', async () => {
    for (const size of [1, 5, 30, 100]) {
      expect((await shuffled(size, 1)).sort((a, b) => a - b)).toEqual(numbers);
    }
  });

  test('of one item changes nothing, and of all is a whole shuffle', async () => {
    expect(await shuffled(1, 1)).toEqual(numbers);
    const firsts = new Set<number>();
    for (let seed = 0; seed < 200; seed++) firsts.add((await shuffled(30, seed))[0]!);
    expect(firsts.size).toBeGreaterThan(25);
  });

  test('does not depend on how the items come in chunks', async () => {
    const byOne = listOf(shuffleBuffer(chunksOf(...numbers.map((i) => [i])), 5, 3));
    expect((await byOne).flat()).toEqual(await shuffled(5, 3));
  });

  test('disposes what it holds when it is left', async () => {
    const items = numbers.map((i) => ({ xs: tf.scalar(i) }));
    const before = tf.memory().numTensors;
    for await (const [item] of shuffleBuffer(chunksOf(...items.map((each) => [each])), 10, 1)) {
      item!.xs.dispose();
      break;
    }
    // 11 items were taken from the stream; the other 19 never left it.
    expect(before - tf.memory().numTensors).toBe(11);
    tf.dispose(items);
  });
});

test('a function starts a stream for each epoch; synchronous streams stay synchronous', async () => {
  const source = (epoch: number) => [epoch, epoch + 1];
  expect(await listOf(openStream(source, 'train', 3))).toEqual([3, 4]);
  expect(isAsync(openStream(source, 'train', 3))).toBe(false);
  expect(isAsync(openStream(async function* () {}, 'train', 0))).toBe(true);
});
