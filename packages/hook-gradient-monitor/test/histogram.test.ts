import { type Hook, sharedKey } from '@hookline/hook-api';
import { type Histogram, histogramsKey } from '@hookline/hook-api/helpers';
import { histogramOf } from '@hookline/numerics';
import { expect, test } from 'vitest';
import { gradientMonitor } from '../src/index.js';
import { onDevice, samples, watchedRun, witness } from './watched-run.js';

/** Takes what is there at every log, as a logger of another package does: by the name of the key alone. */
function taker(): Hook & { taken: Histogram[] } {
  const key = sharedKey<Histogram[]>('hookline.histograms');
  const taken: Histogram[] = [];
  return { name: 'taker', taken, onLog: (ctx) => void taken.push(...(ctx.shared.get(key)?.splice(0) ?? [])) };
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
  const { taken, ...logger } = taker();
  const run = watchedRun([eyes, logger, way(gradientMonitor({ gradients: 'both' }))], {
    clip: { value: 0.01 },
  });
  await run.fit();
  expect(taken.map(({ name }) => name)).toEqual(
    ['grad', 'grad-applied'].flatMap((prefix) =>
      Object.keys(seen.raw!).map((path) => `${prefix}/histogram/${path}`),
    ),
  );
  for (const { name, step, min, max, num, sum, sumSquares, edges, counts } of taken) {
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

test('with nobody to take them, the oldest beyond 1,000 are dropped', async () => {
  let kept: Histogram[] = [];
  const looker: Hook = {
    name: 'looker',
    onTrainEnd: (ctx) => {
      kept = ctx.shared.get(histogramsKey)!;
    },
  };
  const run = watchedRun([looker, gradientMonitor({ every: 1, gradients: 'both' })]);
  await run.fit({ train: samples(150), batchSize: 1 });
  expect(kept).toHaveLength(1000);
  expect(kept[0]!.step).toBe(26);
  expect(kept.at(-1)!.step).toBe(150);
});

test('what another hook has left there stays', async () => {
  const { taken, ...logger } = taker();
  const other: Histogram = { name: 'other/histogram', step: 0, ...histogramOf(Float32Array.of(1)) };
  const leaver: Hook = { name: 'leaver', onTrainStart: (ctx) => ctx.shared.set(histogramsKey, [other]) };
  const run = watchedRun([leaver, logger, gradientMonitor({ params: 'decoder/bias' })]);
  await run.fit();
  expect(taken.map(({ name }) => name)).toEqual(['other/histogram', 'grad/histogram/decoder/bias']);
});

test('histogram: false leaves none', async () => {
  const { taken, ...logger } = taker();
  const run = watchedRun([logger, gradientMonitor({ histogram: false })]);
  await run.fit();
  expect(run.logs).toHaveLength(1);
  expect(taken).toEqual([]);
});
