import { useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, test } from 'vitest';
import { grouped } from '../../src/streams/grouped.js';

beforeAll(() => useBackend('cpu'));

async function* chunksOf<Item>(...chunks: readonly Item[][]): AsyncGenerator<Item[], void> {
  yield* chunks;
}

async function groupsOf(chunks: number[][], options: { size: number; dropLast?: boolean; skip?: number }) {
  const groups = grouped(chunksOf(...chunks), { dropLast: false, skip: 0, ...options });
  const found: number[][] = [];
  for (let next = await groups.next(); ; next = await groups.next()) {
    if (next.done) return { groups: found, count: next.value };
    found.push(next.value);
  }
}

test('groups do not depend on how the stream is cut', async () => {
  const expected = { groups: [[1, 2, 3], [4, 5, 6], [7]], count: 7 };
  for (const chunks of [
    [[1, 2, 3, 4, 5, 6, 7]],
    [[1], [2, 3, 4, 5], [], [6, 7]],
    [[], [1, 2], [3, 4], [5, 6, 7]],
  ])
    expect(await groupsOf(chunks, { size: 3 })).toEqual(expected);
});

test('the last group may be left out, groups at the start skipped; all items are counted', async () => {
  const chunks = [[1, 2, 3, 4, 5, 6, 7]];
  expect(await groupsOf(chunks, { size: 3, dropLast: true })).toEqual({
    groups: [
      [1, 2, 3],
      [4, 5, 6],
    ],
    count: 7,
  });
  expect(await groupsOf(chunks, { size: 3, skip: 2 })).toEqual({ groups: [[7]], count: 7 });
  expect(await groupsOf(chunks, { size: 3, skip: 9 })).toEqual({ groups: [], count: 7 });
  expect(await groupsOf([], { size: 3 })).toEqual({ groups: [], count: 0 });
});

test('tensors that nobody gets are disposed: skipped, left out, or left behind by who goes early', async () => {
  const before = tf.memory().numTensors;
  const items = () => Array.from({ length: 7 }, (_, i) => ({ xs: tf.scalar(i) }));
  for await (const group of grouped(chunksOf(items()), { size: 3, dropLast: true, skip: 1 }))
    tf.dispose(group);
  expect(tf.memory().numTensors).toBe(before);
  const early = grouped(chunksOf(items().slice(0, 2), [{ xs: tf.scalar(9) }]), {
    size: 2,
    dropLast: false,
    skip: 0,
  });
  const { value } = await early.next();
  tf.dispose(value);
  await early.return(0);
  // The five that were never in the stream, and the one of the chunk that was not asked for.
  expect(tf.memory().numTensors).toBe(before + 6);
});
