import {
  DATA_ROWS,
  dataKinds,
  someOf,
  type TensorSample,
  tempFolder,
  tensorSample,
  useBackend,
} from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { csv, type Data, DataLoader, Feed, loadersOf } from '../../src/index.js';

beforeAll(() => useBackend('cpu'));

const kinds = dataKinds<Data>((source, options) => new DataLoader(source as never, options));

const options = { batchSize: 4, shuffle: true, seed: 1, shapes: undefined };
const shapes = {
  inputs: [{ name: 'hidden_input', shape: [3] }],
  outputs: [{ name: 'out', shape: [1] }],
};

/** Batches until there were `count` of them, epoch after epoch. Returns the tensors there were at each start. */
async function drain(feed: Feed, count: number): Promise<Set<number>> {
  const levels = new Set<number>();
  let batches = 0;
  for (let epoch = 0; batches < count; epoch++) {
    levels.add(tf.memory().numTensors);
    for await (const { batch, owned } of feed.epoch(epoch)) {
      batches++;
      feed.commit();
      if (owned) tf.dispose(batch as never);
    }
    feed.commitEpoch();
  }
  levels.add(tf.memory().numTensors);
  return levels;
}

test.each(someOf(Object.entries(kinds), 4))(
  '500 batches of %s leave no tensor behind',
  async (_name, make) => {
    const feed = new Feed(loadersOf(make(), 'train', { ...options, shapes }));
    await drain(feed, 1);
    expect([...(await drain(feed, 500))]).toHaveLength(1);
  },
);

test('500 rows of a CSV file, again and again', async () => {
  const text = `a,b,c,y\n${DATA_ROWS.map(({ xs, ys }) => [...xs, ...ys].join(',')).join('\n')}\n`;
  const path = `${tempFolder({ 'data.csv': text })}/data.csv`;
  const feed = new Feed(loadersOf(csv(path, { labels: 'y' }), 'train', { ...options, batchSize: 1, shapes }));
  await drain(feed, 1);
  expect([...(await drain(feed, 500))]).toHaveLength(1);
});

describe('leaving early leaves nothing behind', () => {
  test.each(someOf(Object.entries(kinds), 4))('%s', async (_name, make) => {
    const feed = new Feed(loadersOf(make(), 'train', { ...options, shapes }));
    await drain(feed, 1);
    const before = tf.memory().numTensors;
    for (let leave = 1; leave <= 3; leave++) {
      let batches = 0;
      for await (const { batch, owned } of feed.epoch(leave * 10)) {
        if (owned) tf.dispose(batch as never);
        if (++batches === leave) break;
      }
      expect(tf.memory().numTensors - before, `after ${leave} batches`).toBe(0);
    }
  });
});

test('tensors in an array of samples remain the user’s, whatever collate does with them', async () => {
  const users = [tensorSample(), tensorSample()];
  for (const collate of [
    undefined,
    ([first]: TensorSample[]) => first!,
    ([first]: TensorSample[]) => ({ xs: [1], ys: first!.ys }),
  ]) {
    const loader = new DataLoader(users, collate ? { collate } : { samples: true });
    for await (const batch of loader) tf.dispose(batch as never);
    expect(users.some((sample) => sample.xs.isDisposed || sample.ys.isDisposed)).toBe(false);
  }
  tf.dispose(users as never);
});
