import { errorOf, numbers, useBackend } from '@hookline/test-support';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { mixOf } from '../../src/feed/mix.js';
import { combine, Feed, type Loader, type MixOptions, type Source } from '../../src/index.js';
import { feedError, feedOf } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

/** Batches of one sample whose first input is their number. */
function batches(count: number): Source {
  const samples = Array.from({ length: count }, (_, i) => i);
  return { xs: samples.map((i) => [i, 0, 0]), ys: samples.map(() => [0]) };
}

/** The same, of unknown length. */
function stream(count: number): Source {
  return async function* () {
    for (let i = 0; i < count; i++) yield { xs: [[i, 0, 0]], ys: [[0]] };
  };
}

/** What came, such as `a0 b0 a1`, and how many batches were announced, for each epoch. */
async function sequence(
  sources: Record<string, Source>,
  options: MixOptions,
  { epochs = 1, seed = 1 } = {},
): Promise<{ epochs: string[]; announced: number | undefined }> {
  const names = Object.keys(sources);
  const feed = feedOf(combine(sources, options), { batchSize: 1, seed });
  const seen: string[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    const batches: string[] = [];
    for await (const { batch, batchIndex, loaderIndex, loaderName } of feed.epoch(epoch)) {
      expect(names[loaderIndex]).toBe(loaderName);
      expect(batchIndex).toBe(batches.length);
      batches.push(`${loaderName}${(batch.xs as tf.Tensor).dataSync()[0]}`);
      tf.dispose(batch as never);
    }
    seen.push(batches.join(' '));
  }
  return { epochs: seen, announced: feed.batches };
}

describe.each([
  ['loaders that know their length', batches],
  ['streams', stream],
])('%s', (_name, make) => {
  const sources = { a: make(3), b: make(1), c: make(2) };
  const cases: [MixOptions, string][] = [
    [{}, 'a0 a1 a2 b0 c0 c1'],
    [{ strategy: 'sequential' }, 'a0 a1 a2 b0 c0 c1'],
    [{ strategy: 'roundRobin' }, 'a0 b0 c0 a1 c1 a2'],
    [{ strategy: 'roundRobin', whenExhausted: 'continue' }, 'a0 b0 c0 a1 c1 a2'],
    [{ strategy: 'roundRobin', whenExhausted: 'stop' }, 'a0 b0 c0 a1'],
    [{ strategy: 'roundRobin', whenExhausted: 'restart' }, 'a0 b0 c0 a1 b0 c1 a2 b0 c0'],
    [{ strategy: 'alternating', pattern: ['a', 'a', 'b', 'c'] }, 'a0 a1 b0 c0 a2 c1'],
    [{ strategy: 'alternating', pattern: ['a', 'a', 'b', 'c'], whenExhausted: 'stop' }, 'a0 a1 b0 c0 a2'],
    [
      { strategy: 'alternating', pattern: ['c', 'b', 'b', 'a'], whenExhausted: 'restart' },
      'c0 b0 b0 a0 c1 b0 b0 a1 c0 b0 b0 a2 c1 b0 b0',
    ],
  ];

  test.each(cases)('%j', async (options, expected) => {
    const { epochs, announced } = await sequence(sources, options, { epochs: 2 });
    expect(epochs).toEqual([expected, expected]);
    expect(announced).toBe(make === batches ? expected.split(' ').length : undefined);
  });
});

/** The same by plain queues. */
function byQueues(cycle: readonly number[], lengths: readonly number[], policy: string): string[] {
  const fill = (loader: number) => Array.from({ length: lengths[loader]! }, (_, i) => `${loader}:${i}`);
  const queues = lengths.map((_, loader) => fill(loader));
  const through = new Set<number>();
  const out: string[] = [];
  for (let turn = 0; ; turn++) {
    const loader = cycle[turn % cycle.length]!;
    if (queues[loader]!.length === 0) {
      through.add(loader);
      if (policy === 'stop' || through.size === lengths.length) return out;
      if (policy === 'continue') continue;
      queues[loader] = fill(loader);
    }
    out.push(queues[loader]!.shift()!);
  }
}

test('turns by any pattern, over loaders of any length, are those of plain queues', async () => {
  const random = numbers(10_000, 5);
  const draw = (below: number) => Math.floor(((random.pop()! + 1) / 2) * below);
  for (let round = 0; round < 150; round++) {
    const lengths = Array.from({ length: 1 + draw(4) }, () => 1 + draw(6));
    const names = lengths.map((_, index) => String(index));
    const extra = Array.from({ length: draw(5) }, () => draw(lengths.length));
    const cycle = [...extra, ...lengths.keys()];
    const loaders: Loader[] = lengths.map((length, index) => ({
      name: String(index),
      batches: length,
      owned: false,
      epoch: () => Array.from({ length }, (_, i) => ({ xs: `${index}:${i}` }) as never),
    }));
    for (const whenExhausted of ['continue', 'stop', 'restart'] as const) {
      const mix = mixOf(names, { strategy: 'alternating', pattern: cycle.map(String), whenExhausted });
      const feed = new Feed(loaders, { mix });
      const seen: unknown[] = [];
      for await (const { batch } of feed.epoch(0)) seen.push(batch.xs);
      const expected = byQueues(cycle, lengths, whenExhausted);
      expect(seen, `${cycle} of ${lengths}, ${whenExhausted}`).toEqual(expected);
      expect(feed.batches).toBe(expected.length);
    }
  }
});

describe('weighted', () => {
  const sources = { a: batches(400), b: batches(400), c: batches(400) };
  const weights = { a: 6, b: 3 }; // c: 1

  test('loaders are drawn by their weights, each in its own order', async () => {
    const { epochs } = await sequence(sources, { strategy: 'weighted', weights, whenExhausted: 'stop' });
    const drawn = epochs[0]!.split(' ');
    // It ends when a is done, so that the weights hold for all of it.
    expect(drawn.filter((each) => each.startsWith('a'))).toHaveLength(400);
    const share = (name: string) => drawn.filter((each) => each.startsWith(name)).length / drawn.length;
    expect(share('a')).toBeCloseTo(0.6, 1);
    expect(share('b')).toBeCloseTo(0.3, 1);
    expect(share('c')).toBeCloseTo(0.1, 1);
    for (const name of ['a', 'b', 'c']) {
      const mine = drawn.filter((each) => each.startsWith(name));
      expect(mine).toEqual(mine.map((_, i) => `${name}${i}`));
    }
  });

  test('the draws follow the seed and the epoch', async () => {
    const small = { a: batches(20), b: batches(20) };
    const options: MixOptions = { strategy: 'weighted' };
    const { epochs, announced } = await sequence(small, options, { epochs: 2 });
    expect(announced).toBe(40);
    expect(epochs[0]).not.toBe(epochs[1]);
    expect((await sequence(small, options, { epochs: 2 })).epochs).toEqual(epochs);
    expect((await sequence(small, options, { seed: 2 })).epochs[0]).not.toBe(epochs[0]);
    const seeded: MixOptions = { ...options, seed: 7 };
    expect((await sequence(small, seeded, { seed: 2 })).epochs).toEqual(
      (await sequence(small, seeded, { seed: 3 })).epochs,
    );
  });

  test('continue: every batch comes once; restart: until the last loader is done', async () => {
    const uneven = { a: batches(12), b: batches(3) };
    const once = (await sequence(uneven, { strategy: 'weighted', weights: { b: 5 } })).epochs[0]!.split(' ');
    expect([...once].sort()).toEqual(
      [...Array.from({ length: 12 }, (_, i) => `a${i}`), 'b0', 'b1', 'b2'].sort(),
    );
    const options: MixOptions = { strategy: 'weighted', weights: { b: 5 }, whenExhausted: 'restart' };
    const { epochs, announced } = await sequence(uneven, options);
    const again = epochs[0]!.split(' ');
    expect(announced).toBeUndefined();
    expect(again.filter((each) => each.startsWith('a'))).toEqual(
      Array.from({ length: 12 }, (_, i) => `a${i}`),
    );
    const others = again.filter((each) => each.startsWith('b'));
    expect(others.length).toBeGreaterThan(12);
    expect(others).toEqual(others.map((_, i) => `b${i % 3}`));
  });
});

/** The first input of the samples of each loader, in the order they came. */
async function ordersOf(feed: Feed, epochs: number): Promise<Record<string, number[]>> {
  const orders: Record<string, number[]> = {};
  for (let epoch = 0; epoch < epochs; epoch++) {
    for await (const { batch, loaderName } of feed.epoch(epoch)) {
      orders[loaderName] ??= [];
      orders[loaderName].push((batch.xs as tf.Tensor).dataSync()[0]!);
      tf.dispose(batch as never);
    }
  }
  return orders;
}

test('a loader that is restarted has a new order each time, over all epochs', async () => {
  const data = combine(
    { long: batches(40), short: batches(20) },
    { strategy: 'roundRobin', whenExhausted: 'restart' },
  );
  const { short } = await ordersOf(feedOf(data, { batchSize: 1, shuffle: true }), 2);
  const passes = [0, 20, 40, 60].map((start) => short!.slice(start, start + 20));
  expect(new Set(passes.map(String)).size).toBe(4);
  for (const pass of passes) expect(new Set(pass).size).toBe(20);
});

test('loaders of equal size do not share one order', async () => {
  const feed = feedOf({ a: batches(20), b: batches(20) }, { batchSize: 1, shuffle: true });
  const { a, b } = await ordersOf(feed, 1);
  expect(a).not.toEqual(b);
});

describe('options that make no sense are named', () => {
  const sources = { real: batches(1), synthetic: batches(1) };
  test.each<[object, string[]]>([
    [{ strategy: 'roundrobin' }, ['strategy', '"roundrobin"', 'Did you mean "roundRobin"?']],
    [{ whenExhausted: 'repeat', strategy: 'roundRobin' }, ['whenExhausted', 'restart']],
    [{ strategie: 'weighted' }, ['strategie', 'Did you mean "strategy"?']],
    [{ strategy: 'weighted', weights: { reel: 1 } }, ['"reel"', 'Did you mean "real"?']],
    [{ strategy: 'weighted', weights: { real: 0 } }, ['"real" is 0', 'above 0']],
    [{ strategy: 'weighted', weights: { real: Number.NaN } }, ['NaN']],
    [{ weights: { real: 1 } }, ['weights', '"weighted"', '"sequential"']],
    [{ strategy: 'roundRobin', pattern: ['real'] }, ['pattern', '"alternating"']],
    [{ strategy: 'alternating' }, ['pattern', "['real', 'synthetic']"]],
    [{ strategy: 'alternating', pattern: ['real'] }, ['lacks synthetic']],
    [{ strategy: 'alternating', pattern: ['real', 'synthetic', 'fake'] }, ['"fake"', 'real, synthetic']],
    [{ whenExhausted: 'stop' }, ['whenExhausted', '"sequential"']],
  ])('%j', async (options, parts) => {
    const error = await errorOf(() => combine(sources, options as MixOptions));
    expect(error.code).toBe('BAD_OPTIONS');
    for (const part of parts) expect(error.message).toContain(part);
  });

  test('no source, and two with one name', async () => {
    expect((await feedError(combine({}))).message).toContain('train has no data');
    const loader = { name: 'twin', batches: 1, owned: true, epoch: () => [] };
    const error = await feedError({ a: loader, b: { ...loader } });
    expect(error.code).toBe('BAD_DATA');
    expect(error.message).toContain('Two loaders are called "twin"');
  });

  test('a loader that gives nothing is named, also when it is to be restarted', async () => {
    const empty = { name: 'empty', batches: undefined, owned: true, epoch: () => [] };
    for (const whenExhausted of ['continue', 'stop', 'restart'] as const) {
      const data = combine({ full: batches(2), empty }, { strategy: 'roundRobin', whenExhausted });
      expect((await feedError(data)).message).toBe('Loader "empty" gave no batch.');
    }
  });
});
