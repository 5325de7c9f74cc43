import { Feed, mixOf } from '@hookline/data';
import type { Hook } from '@hookline/hook-api';
import { errorOf, numbers, regressor } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { describe, expect, test } from 'vitest';
import { combine, type Loader, type MixOptions, type Source } from '../../src/index.js';
import { quietTrainer } from '../support/quiet-trainer.js';

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
  const seen: string[] = [];
  let announced: number | undefined;
  const names = Object.keys(sources);
  const watch: Hook = {
    name: 'watch',
    onTrainStart: (_ctx, { batchesPerEpoch }) => {
      announced = batchesPerEpoch;
    },
    onEpochStart: () => void seen.push(''),
    onTrainBatchStart: (_ctx, { loaderName, loaderIndex, batch, batchIndex }) => {
      expect(names[loaderIndex]).toBe(loaderName);
      const before = seen.pop()!;
      expect(batchIndex).toBe(before === '' ? 0 : before.split(' ').length);
      seen.push(`${before} ${loaderName}${(batch.xs as tf.Tensor).dataSync()[0]}`.trim());
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [watch], seed });
  await trainer.fit({ train: combine(sources, options), epochs, batchSize: 1, shuffle: false });
  return { epochs: seen, announced };
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
    // Ends when a is through, so that the weights hold for all of it.
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

  test('continue: every batch comes once; restart: until the last loader is through', async () => {
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

test('a loader that is restarted is shuffled anew each time, over all epochs', async () => {
  const seen: number[] = [];
  const watch: Hook = {
    name: 'watch',
    onTrainBatchStart: (_ctx, { loaderName, batch }) => {
      if (loaderName === 'short') seen.push((batch.xs as tf.Tensor).dataSync()[0]!);
    },
  };
  const train = combine(
    { long: batches(40), short: batches(20) },
    { strategy: 'roundRobin', whenExhausted: 'restart' },
  );
  await quietTrainer({ model: regressor(), hooks: [watch] }).fit({ train, epochs: 2, batchSize: 1 });
  const passes = [0, 20, 40, 60].map((start) => seen.slice(start, start + 20));
  expect(new Set(passes.map(String)).size).toBe(4);
  for (const pass of passes) expect(new Set(pass).size).toBe(20);
});

test('loaders of one size are not all in one order', async () => {
  const orders: Record<string, number[]> = { a: [], b: [] };
  const watch: Hook = {
    name: 'watch',
    onTrainBatchStart: (_ctx, { loaderName, batch }) => {
      orders[loaderName]!.push((batch.xs as tf.Tensor).dataSync()[0]!);
    },
  };
  const trainer = quietTrainer({ model: regressor(), hooks: [watch] });
  await trainer.fit({ train: { a: batches(20), b: batches(20) }, epochs: 1, batchSize: 1 });
  expect(orders.a).not.toEqual(orders.b);
});

test('evaluation goes through every loader once, whatever the strategy', async () => {
  const seen: string[] = [];
  const watch: Hook = {
    name: 'watch',
    onTestBatchStart: (_ctx, { loaderName, batch }) => {
      seen.push(`${loaderName}${(batch.xs as tf.Tensor).dataSync()[0]}`);
    },
  };
  const data = combine(
    { a: batches(2), b: batches(1) },
    { strategy: 'roundRobin', whenExhausted: 'restart' },
  );
  await quietTrainer({ model: regressor(), hooks: [watch] }).test({ data, batchSize: 1 });
  expect(seen).toEqual(['a0', 'a1', 'b0']);
});

describe('what makes no sense is named', () => {
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

  test('no source, and two of one name', async () => {
    const fit = (train: object) =>
      errorOf(quietTrainer({ model: regressor() }).fit({ train: train as never, epochs: 1 }));
    expect((await fit(combine({}))).message).toContain('train has no data');
    const loader = { name: 'twin', batches: 1, owned: true, epoch: () => [] };
    const error = await fit({ a: loader, b: { ...loader } });
    expect(error.code).toBe('BAD_DATA');
    expect(error.message).toContain('Two loaders are called "twin"');
  });

  test('a loader that gives nothing is named, also when it is to be restarted', async () => {
    const empty = { name: 'empty', batches: undefined, owned: true, epoch: () => [] };
    for (const whenExhausted of ['continue', 'stop', 'restart'] as const) {
      const train = combine({ full: batches(2), empty }, { strategy: 'roundRobin', whenExhausted });
      const error = await errorOf(quietTrainer({ model: regressor() }).fit({ train, epochs: 1 }));
      expect(error.message).toBe('Loader "empty" gave no batch.');
    }
  });
});
