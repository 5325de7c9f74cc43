import type { Hook } from '@hookline/hook-api';
import { type Histogram, histogramsSince, leaveHistograms } from '@hookline/hook-api/helpers';
import { histogramOf } from '@hookline/numerics';
import { expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';
import { onDevice, samples, watchedRun, witness } from './watched-run.js';

/** Reads what is new at every log, as loggers do. */
function histogramLogger(name = 'histogram-logger'): Hook & { read: Histogram[] } {
  const read: Histogram[] = [];
  let next = 0;
  return {
    name,
    read,
    onLog(ctx) {
      const unread = histogramsSince(ctx.shared, next);
      next = unread.next;
      read.push(...unread.items);
    },
  };
}

/** The counts, found by asking of every bucket which values lie in it. */
function recount(values: readonly number[], edges: readonly number[]): number[] {
  const last = edges.length - 2;
  return edges.slice(0, -1).map((left, i) => {
    const right = edges[i + 1]!;
    return values.filter((value) => value >= left && (i === last ? value <= right : value < right)).length;
  });
}

test.each([
  ['in our memory', (hook: Hook) => hook],
  ['on a device', onDevice],
])('a logger gets a histogram of every parameter, of the values themselves, %s', async (_name, way) => {
  const { seen, ...eyes } = witness();
  const { read, ...logger } = histogramLogger();
  const run = watchedRun([eyes, logger, way(gradientMonitor({ gradients: 'both' }))], {
    clip: { value: 0.01 },
  });
  await run.fit();
  expect(read.map(({ name }) => name)).toEqual(
    ['grad', 'grad-applied'].flatMap((prefix) =>
      Object.keys(seen.raw!).map((path) => `${prefix}/histogram/${path}`),
    ),
  );
  for (const { name, step, min, max, num, sum, sumSquares, edges, counts } of read) {
    const [, prefix, path] = /^(.*)\/histogram\/(.*)$/.exec(name)!;
    const values = seen[prefix === 'grad' ? 'raw' : 'applied']![path!]!;
    expect(step).toBe(1);
    expect([min, max, num]).toEqual([Math.min(...values), Math.max(...values), values.length]);
    expect(sum).toBeCloseTo(
      values.reduce((a, b) => a + b, 0),
      10,
    );
    expect(sumSquares).toBeCloseTo(
      values.reduce((a, b) => a + b * b, 0),
      10,
    );
    expect(counts.reduce((a, b) => a + b)).toBe(num);
    expect(counts).toEqual(recount(values, edges));
  }
});

test('buckets are of equal width from the smallest to the largest value', () => {
  const { edges, counts } = histogramOf(Float32Array.of(-3, -2.9, 0, 2.99, 3));
  expect(edges).toHaveLength(31);
  expect(edges[0]).toBe(-3);
  expect(edges[30]).toBe(3);
  expect(edges[16]).toBeCloseTo(0.2, 10);
  expect(counts.flatMap((count, bucket) => (count > 0 ? [[bucket, count]] : []))).toEqual([
    [0, 2],
    [15, 1],
    [29, 2],
  ]);
});

test('equal values, and a single one, make one bucket without width', () => {
  expect(histogramOf(Float32Array.of(2, 2, 2))).toEqual({
    min: 2,
    max: 2,
    num: 3,
    sum: 6,
    sumSquares: 12,
    edges: [2, 2],
    counts: [3],
  });
});

test('the largest numbers there are do not overflow', () => {
  const largest = 3.4028234663852886e38;
  const { counts, edges } = histogramOf(Float32Array.of(-largest, largest));
  expect(edges.every(Number.isFinite)).toBe(true);
  expect([counts[0], counts[29]]).toEqual([1, 1]);
});

test('several loggers read every histogram, each once', async () => {
  const { read: first, ...one } = histogramLogger('one');
  const { read: second, ...another } = histogramLogger('another');
  const run = watchedRun([one, another, gradientMonitor({ every: 1 })]);
  await run.fit({ train: samples(5), batchSize: 1 });
  expect(first.map(({ step, name }) => `${step} ${name}`)).toEqual(
    [1, 2, 3, 4, 5].flatMap((step) =>
      ['encoder/kernel', 'encoder/bias', 'decoder/kernel', 'decoder/bias'].map(
        (path) => `${step} grad/histogram/${path}`,
      ),
    ),
  );
  expect(second).toEqual(first);
});

test('without a logger that reads them, the newest 1,000 are kept', async () => {
  let kept: readonly Histogram[] = [];
  const looker: Hook = {
    name: 'looker',
    onTrainEnd: (ctx) => {
      kept = histogramsSince(ctx.shared, 0).items;
    },
  };
  const run = watchedRun([looker, gradientMonitor({ every: 1, gradients: 'both' })]);
  await run.fit({ train: samples(150), batchSize: 1 });
  expect(kept).toHaveLength(1000);
  expect(kept[0]!.step).toBe(26);
  expect(kept.at(-1)!.step).toBe(150);
});

test('what another hook has left there stays', async () => {
  const { read, ...logger } = histogramLogger();
  const other: Histogram = { name: 'other/histogram', step: 0, ...histogramOf(Float32Array.of(1)) };
  const leaver: Hook = { name: 'leaver', onTrainStart: (ctx) => leaveHistograms(ctx.shared, [other]) };
  const run = watchedRun([leaver, logger, gradientMonitor({ params: 'decoder/bias' })]);
  await run.fit();
  expect(read.map(({ name }) => name)).toEqual(['other/histogram', 'grad/histogram/decoder/bias']);
});

test('histogram: false leaves none', async () => {
  const { read, ...logger } = histogramLogger();
  const run = watchedRun([logger, gradientMonitor({ histogram: false })]);
  await run.fit();
  expect(run.logs).toHaveLength(1);
  expect(read).toEqual([]);
});
