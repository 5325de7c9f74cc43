import { collectingLogger, tempFolder, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  combine,
  csv,
  type Data,
  DataLoader,
  type Feed,
  type FeedState,
  type Loader,
} from '../../src/index.js';
import { feedOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

const EPOCHS = 3;
const samples = Array.from({ length: 11 }, (_, i) => ({ xs: [i] }));
const table = (count: number) => ({ xs: Array.from({ length: count }, (_, i) => [i]) });
const options = { batchSize: 2, shuffle: true, seed: 5 };

/** Reads epochs as a run does: `epoch loader:sample` of every sample. Stops after some batches, if told to. */
async function read(feed: Feed, { from = 0, stopAfter = Number.POSITIVE_INFINITY } = {}): Promise<string[]> {
  const seen: string[] = [];
  let batches = 0;
  for (let epoch = from; epoch < EPOCHS; epoch++) {
    for await (const { batch, loaderName, owned } of feed.epoch(epoch)) {
      const rows = (batch.xs as tf.Tensor).arraySync() as number[][];
      seen.push(...rows.map(([number]) => `${epoch} ${loaderName}:${number}`));
      if (owned) tf.dispose(batch as never);
      feed.commit();
      if (++batches === stopAfter) return seen;
    }
    feed.commitEpoch();
  }
  return seen;
}

const overJson = (state: FeedState): FeedState => JSON.parse(JSON.stringify(state));

const kinds: [string, () => Data][] = [
  ['a table', () => table(11)],
  ['samples by number', () => new DataLoader(samples, { samples: true })],
  [
    'batches in an array, shuffled',
    () =>
      new DataLoader(
        samples.map(({ xs }) => ({ xs: [xs] })),
        { shuffle: true },
      ),
  ],
  [
    'a stream of samples, shuffled',
    () => new DataLoader(() => samples.values(), { samples: true, shuffle: true, shuffleBuffer: 4 }),
  ],
  [
    'a stream of batches, read ahead',
    () =>
      new DataLoader(
        async function* () {
          for (const { xs } of samples) yield { xs: [xs] };
        },
        { prefetch: 3 },
      ),
  ],
  [
    'a shuffled CSV file',
    () => {
      const path = `${tempFolder({ 'data.csv': `a\n${samples.map(({ xs }) => xs).join('\n')}\n` })}/data.csv`;
      return new DataLoader(csv(path), { shuffle: true, shuffleBuffer: 3 });
    },
  ],
  [
    'a loader written by hand that ignores where to start',
    () => ({
      name: 'own',
      batches: 11,
      owned: true,
      epoch: (epoch: number) => samples.map((_, i) => ({ xs: tf.tensor2d([[(i + epoch) % 11]]) })),
    }),
  ],
  ['several, one after the other', () => ({ one: table(3), two: table(5) })],
  [
    'several in turn, the short ones restarted',
    () => combine({ one: table(3), two: table(12) }, { strategy: 'roundRobin', whenExhausted: 'restart' }),
  ],
  [
    'several by a pattern, continued without the short ones',
    () =>
      combine({ one: table(3), two: table(12) }, { strategy: 'alternating', pattern: ['one', 'two', 'two'] }),
  ],
  [
    'several by weights',
    () => combine({ one: table(4), two: table(12) }, { strategy: 'weighted', whenExhausted: 'restart' }),
  ],
];

describe('a feed that is resumed continues with the very next sample', () => {
  test.each(kinds)('%s', async (_name, make) => {
    const data = make();
    const whole = await read(feedOf(data, options));
    for (const stopAfter of [1, 2, 5, 6, 7, 9]) {
      const first = feedOf(data, options);
      const before = await read(first, { stopAfter });
      const saved = overJson(first.saveState());
      const second = feedOf(data, options);
      expect(second.resume(saved)).toBe(true);
      const after = await read(second, { from: saved.epoch });
      expect([...before, ...after], `stopped after ${stopAfter} batches`).toEqual(whole);
    }
  });
});

test('only what was committed counts: a batch that was handed out and not committed comes again', async () => {
  const feed = feedOf(table(6), { ...options, shuffle: false });
  const seen: number[] = [];
  for await (const { batch } of feed.epoch(0)) {
    seen.push((batch.xs as tf.Tensor).dataSync()[0]!);
    if (seen.length === 2) break;
    feed.commit();
  }
  const resumed = feedOf(table(6), { ...options, shuffle: false });
  resumed.resume(overJson(feed.saveState()));
  for await (const { batch } of resumed.epoch(0)) seen.push((batch.xs as tf.Tensor).dataSync()[0]!);
  expect(seen).toEqual([0, 2, 2, 4]);
});

test('an epoch that was only partly used is done once it is committed', async () => {
  const feed = feedOf(table(6), options);
  for await (const _ of feed.epoch(0)) break;
  feed.commitEpoch();
  expect(feed.saveState()).toMatchObject({ epoch: 1, batch: 0 });
});

test('samples that were seen are not fetched again where the loader can jump', async () => {
  const asked: number[] = [];
  const source = {
    length: 11,
    at: (index: number) => {
      asked.push(index);
      return samples[index]!;
    },
  };
  const loader = () => new DataLoader(source, { samples: true, shuffle: false, prefetch: 0 });
  const feed = feedOf(loader(), options);
  await read(feed, { stopAfter: 3 });
  asked.length = 0;
  const resumed = feedOf(loader(), options);
  const logger = collectingLogger();
  resumed.logger = logger;
  resumed.resume(feed.saveState());
  for await (const { batch } of resumed.epoch(0)) tf.dispose(batch as never);
  expect(asked).toEqual([6, 7, 8, 9, 10]);
  expect(logger.lines).toEqual([]);
});

test('a loader that cannot jump says how many batches it reads again, and disposes them', async () => {
  const made: tf.Tensor[] = [];
  const stream = function* () {
    for (const { xs } of samples) {
      made.push(tf.tensor2d([xs]));
      yield { xs: made.at(-1)! };
    }
  };
  const feed = feedOf(stream);
  await read(feed, { stopAfter: 3 });
  made.length = 0;
  const resumed = feedOf(stream);
  const logger = collectingLogger();
  resumed.logger = logger;
  resumed.resume(feed.saveState());
  const rest = await read(resumed, { stopAfter: 2 });
  expect(rest).toEqual(['0 train:3', '0 train:4']);
  expect(made.every(({ isDisposed }) => isDisposed)).toBe(true);
  expect(logger.lines).toEqual([
    expect.objectContaining({
      level: 'info',
      message:
        'Loader "train" cannot jump to its position: the 3 batches that were already seen are read again and discarded.',
    }),
  ]);
});

describe('data that has changed', () => {
  const save = async (data: Data) => {
    const feed = feedOf(data, options);
    await read(feed, { stopAfter: 8 });
    return overJson(feed.saveState());
  };

  test.each<[string, Data, object, string]>([
    ['more samples', table(20), {}, 'samples of "train" was 11 and is 20'],
    ['another batch size', table(11), { batchSize: 4 }, 'batchSize of "train" was 2 and is 4'],
    ['no shuffle', table(11), { shuffle: false }, 'seed of "train"'],
    ['a shuffle by another seed', table(11), { seed: 6 }, 'seed of "train"'],
    ['other loaders', { other: table(11) }, {}, 'loaders were train and are other'],
    [
      'dropLast',
      new DataLoader(table(11), { dropLast: true }),
      {},
      'dropLast of "train" was false and is true',
    ],
  ])('%s: the epoch starts over, and the log says why', async (_name, changed, change, why) => {
    const saved = await save(table(11));
    expect(saved).toMatchObject({ epoch: 1, batch: 2 });
    const feed = feedOf(changed, { ...options, ...change });
    const logger = collectingLogger();
    feed.logger = logger;
    expect(feed.resume(saved)).toBe(false);
    expect(logger.lines).toHaveLength(1);
    expect(logger.lines[0]!.level).toBe('warn');
    expect(logger.lines[0]!.message).toContain(why);
    expect(logger.lines[0]!.message).toContain('epoch 2 starts over instead of continuing at batch 3');
    const fresh = feedOf(changed, { ...options, ...change });
    expect(await read(feed, { from: 1 })).toEqual(await read(fresh, { from: 1 }));
  });

  test('a different mix is a change, too', async () => {
    const sources = { a: table(6), b: table(6) };
    const saved = await save(combine(sources, { strategy: 'roundRobin' }));
    const feed = feedOf(combine(sources), options);
    const logger = collectingLogger();
    feed.logger = logger;
    expect(feed.resume(saved)).toBe(false);
    expect(logger.lines[0]!.message).toContain('the loaders are combined differently');
  });

  test('between epochs it may change', async () => {
    const feed = feedOf(table(11), options);
    await read(feed, { stopAfter: 6 });
    feed.commitEpoch();
    const logger = collectingLogger();
    const other = feedOf(table(20), options);
    other.logger = logger;
    expect(other.resume(feed.saveState())).toBe(true);
    expect(logger.lines).toEqual([]);
  });
});

test('the state is plain JSON with the position of each loader', async () => {
  const feed = feedOf({ one: table(3), two: table(5) }, { ...options, shuffle: false });
  await read(feed, { stopAfter: 3 });
  const state = feed.saveState();
  expect(overJson(state)).toEqual(state);
  expect(state).toEqual({
    epoch: 0,
    batch: 3,
    turn: 3,
    mix: 'sequential',
    loaders: [
      {
        name: 'one',
        pass: 0,
        batch: 2,
        done: true,
        order: { samples: 3, batchSize: 2, dropLast: false, data: expect.any(String) },
      },
      {
        name: 'two',
        pass: 0,
        batch: 1,
        done: false,
        order: { samples: 5, batchSize: 2, dropLast: false, data: expect.any(String) },
      },
    ],
  });
});

test('a loader is asked for the epoch and the batch to start with', async () => {
  const asked: [number, number | undefined][] = [];
  const own: Loader = {
    name: 'own',
    batches: 3,
    owned: false,
    seek: 'jump',
    epoch: (epoch, start = 0) => {
      asked.push([epoch, start]);
      return [0, 1, 2].slice(start).map((i) => ({ xs: tf.tensor2d([[i]]) }));
    },
  };
  const feed = feedOf(own);
  await read(feed, { stopAfter: 4 });
  const resumed = feedOf(own);
  resumed.resume(feed.saveState());
  await read(resumed, { from: 1 });
  expect(asked).toEqual([
    [0, 0],
    [1, 0],
    [1, 1],
    [2, 0],
  ]);
});
