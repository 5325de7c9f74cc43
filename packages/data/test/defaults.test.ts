import { readFileSync } from 'node:fs';
import { tempFolder, useBackend } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { combine, csv, type Data, DataLoader, Feed, loadersOf, mixIn } from '../src/index.js';
import { DATA_LOADER_KEYS } from '../src/loaders/loader-options.js';

beforeAll(() => useBackend('cpu'));

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The defaults in the table whose first option this is. */
function defaultsOf(first: string): Record<string, string> {
  const table = README.split('\n\n').find((part) => part.includes(`\n| \`${first}\` |`))!;
  return Object.fromEntries(
    table.split('\n').flatMap((row) => {
      const [, names = '', value = ''] = row.split('|').map((cell) => cell.trim());
      return [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [name!, value]);
    }),
  );
}

/** What an epoch gives: the name of each loader with its inputs, and their types. */
async function epochOf(data: Data, batchSize = 32): Promise<string[]> {
  const loaders = loadersOf(data, 'data', { batchSize, shuffle: false, seed: 0, shapes: undefined });
  const seen: string[] = [];
  for await (const { batch, loaderName } of new Feed(loaders, { mix: mixIn(data) }).epoch(0)) {
    const { xs, ys } = batch as { xs: tf.Tensor; ys?: tf.Tensor };
    seen.push(`${loaderName} ${xs.dtype} ${ys?.dtype} ${xs.dataSync().join()}`);
  }
  return seen;
}

describe('the README says what is so when an option is left out', () => {
  test('of a loader', async () => {
    const defaults = defaultsOf('name');
    expect(Object.keys(defaults).sort()).toEqual([...DATA_LOADER_KEYS].sort());
    expect(defaults).toMatchObject({ name: "`'data'`", batchSize: '32', dropLast: '`false`' });
    const table = { xs: Array.from({ length: 70 }, (_, i) => [i]) };
    const explicit = { batchSize: 32, dropLast: false, shuffle: false, seed: 0, checkData: false };
    const sizes = async (loader: DataLoader) => {
      const batches: string[] = [];
      for await (const { xs } of loader) batches.push((xs as tf.Tensor).dataSync().join());
      return batches;
    };
    const plain = await sizes(new DataLoader(table));
    expect(plain.map((batch) => batch.split(',').length)).toEqual([32, 32, 6]);
    expect(plain.join()).toBe(table.xs.join());
    expect(await sizes(new DataLoader(table, explicit))).toEqual(plain);
  });

  test('of a CSV file', async () => {
    expect(defaultsOf('labels')).toMatchObject({ header: '`true`', delimiter: "`','`", missing: 'an error' });
    const file = `${tempFolder({ 'a.csv': 'x,z,y\n1,2,3\n4,5,6\n' })}/a.csv`;
    const explicit = {
      labels: 'y',
      features: ['x', 'z'],
      header: true,
      delimiter: ',',
      dtype: 'float32',
      labelDtype: 'float32',
    } as const;
    const plain = await epochOf(csv(file, { labels: 'y' }));
    expect(plain).toEqual(['data float32 float32 1,2,4,5']);
    expect(await epochOf(csv(file, explicit))).toEqual(plain);
    const empty = `${tempFolder({ 'a.csv': 'x,y\n1,\n' })}/a.csv`;
    await expect(epochOf(csv(empty, { labels: 'y' }))).rejects.toMatchObject({ code: 'BAD_DATA' });
  });

  test('of loaders that are combined', async () => {
    expect(defaultsOf('strategy')).toMatchObject({ strategy: "`'sequential'`", weights: '1 each' });
    const sources = { a: { xs: [[1], [2]] }, b: { xs: [[3], [4], [5]] } };
    const plain = await epochOf(combine(sources), 1);
    expect(plain.map((batch) => batch.at(-1)).join('')).toBe('12345');
    expect(await epochOf(combine(sources, { strategy: 'sequential' }), 1)).toEqual(plain);
    const turns = await epochOf(combine(sources, { strategy: 'roundRobin' }), 1);
    expect(turns.map((batch) => batch.at(-1)).join('')).toBe('13245');
    const all = { strategy: 'roundRobin', whenExhausted: 'continue' } as const;
    expect(await epochOf(combine(sources, all), 1)).toEqual(turns);
    const drawn = await epochOf(combine(sources, { strategy: 'weighted' }), 1);
    expect(await epochOf(combine(sources, { strategy: 'weighted', weights: { a: 1, b: 1 } }), 1)).toEqual(
      drawn,
    );
  });
});
