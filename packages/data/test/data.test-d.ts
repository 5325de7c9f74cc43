import * as tf from '@tensorflow/tfjs-core';
import { expectTypeOf, test } from 'vitest';
import {
  combine,
  csv,
  type Data,
  DataLoader,
  type DataLoaderOptions,
  type Loader,
  type Source,
} from '../src/index.js';

const data = (value: Data) => value;

test('everything that can be a source type-checks as one', () => {
  const xs = tf.zeros([2, 3]);
  data({ xs });
  data({ xs: Float32Array.of(1), ys: [[1]], weights: [1] });
  data({ xs: { image: xs, age: [1, 2] }, ys: { kind: Uint8Array.of(1) } });
  data([{ xs }, { xs: [[1]] }]);
  data(function* () {
    yield { xs };
  });
  data(async function* (epoch: number) {
    yield { xs: [[epoch]] };
  });
  data(csv('data.csv', { labels: 'y' }));
  data(new DataLoader({ xs }));
  data({ train: { xs }, extra: new DataLoader({ xs }) });
  data(combine({ a: { xs }, b: csv('b.csv') }, { strategy: 'roundRobin' }));
  expectTypeOf<Loader>().toExtend<Source>();
});

test('what cannot be a source does not', () => {
  // @ts-expect-error a number is not data
  data(5);
  // @ts-expect-error a table needs xs
  const table: Source = { ys: [[1]] };
  // @ts-expect-error an unknown strategy
  combine({ a: { xs: [1] } }, { strategy: 'random' });
  // @ts-expect-error an unknown option
  csv('data.csv', { label: 'y' });
  return table;
});

test('collate gets the items of the source', () => {
  new DataLoader(['a', 'b'], {
    collate: (words) => {
      expectTypeOf(words).toEqualTypeOf<string[]>();
      return { xs: words.map((word) => word.length) };
    },
  });
  new DataLoader(
    { length: 3, at: async (index: number) => ({ index }) },
    { collate: (items) => ({ xs: items.map(({ index }) => index) }) },
  );
  expectTypeOf<DataLoaderOptions<string>['collate']>().not.toBeAny();
});

test('a loop of your own gets batches', async () => {
  for await (const { xs, ys } of new DataLoader({ xs: [[1]] })) {
    expectTypeOf(xs).not.toBeAny();
    expectTypeOf(ys).extract<undefined>().toEqualTypeOf<undefined>();
  }
});
