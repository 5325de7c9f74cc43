import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { errorOf, numbers, tempFolder, useBackend } from '@hookline/test-support';
import type * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { type CsvOptions, csv, DataLoader, type DataLoaderOptions } from '../../src/index.js';
import { epochOf, feedOf, readFeed } from '../plain-batches.js';

beforeAll(() => useBackend('cpu'));

function file(content: string | Uint8Array, name = 'data.csv'): string {
  const path = join(tempFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const read = (content: string, options: CsvOptions = {}, loader: DataLoaderOptions = {}) =>
  epochOf(new DataLoader(csv(file(content), options), loader));

const flowers = 'width,height,kind,sure\n1,2,rose,0.5\n3,4,lily,1\n5.5,-6e-1,rose,0.25\n';

test('labels are the targets, all other columns the inputs', async () => {
  expect(await read('a,b,y\n1,2,3\n4,5,6\n', { labels: 'y' })).toEqual([
    {
      xs: [
        [1, 2],
        [4, 5],
      ],
      ys: [3, 6],
    },
  ]);
});

test('columns can be chosen and ordered; text becomes class numbers; a column can weigh the samples', async () => {
  const options = {
    features: ['height', 'width'],
    labels: ['kind'],
    weights: 'sure',
    classes: { kind: ['lily', 'rose'] },
  };
  const [batch] = await read(flowers, options);
  const rounded = (batch!.xs as number[][]).map((row) => row.map((value) => Number(value.toFixed(6))));
  expect(rounded).toEqual([
    [2, 1],
    [4, 3],
    [-0.6, 5.5],
  ]);
  expect(batch!.ys).toEqual([1, 0, 1]);
  expect(batch!.weights).toEqual([0.5, 1, 0.25]);
});

test('other delimiters, no header, your own names, blanks around numbers, and a byte order mark', async () => {
  const expected = [{ xs: [[1, 2]], ys: [3] }];
  expect(await read('a;b;y\n1; 2 ;3', { labels: 'y', delimiter: ';' })).toEqual(expected);
  expect(await read('1,2,3\n', { labels: '2', header: false })).toEqual(expected);
  expect(await read('1,2,3\n', { labels: 'y', header: ['a', 'b', 'y'] })).toEqual(expected);
  expect(await read('\uFEFFa,b,y\n1,2,3\n', { features: ['a', 'b'], labels: 'y' })).toEqual(expected);
  expect(await read('"a","b, c","y"\r\n"1","2","3"\r\n', { labels: 'y' })).toEqual(expected);
});

test('types can be whole numbers', async () => {
  const loader = new DataLoader(
    csv(file('a,y\n7,1\n'), { labels: 'y', dtype: 'int32', labelDtype: 'int32' }),
  );
  for await (const { xs, ys } of loader) {
    expect([(xs as tf.Tensor).dtype, (ys as tf.Tensor).dtype]).toEqual(['int32', 'int32']);
  }
});

test('a name that ends in .gz is decompressed, and a URL is accepted', async () => {
  const path = file(gzipSync('a,y\n1,2\n'), 'data.csv.gz');
  expect(await epochOf(new DataLoader(csv(pathToFileURL(path), { labels: 'y' })))).toEqual([
    { xs: [[1]], ys: [2] },
  ]);
});

test('missing is the number that an empty cell stands for', async () => {
  expect(await read('a,b\n1,\n,2\n', { missing: -1 })).toEqual([
    {
      xs: [
        [1, -1],
        [-1, 2],
      ],
    },
  ]);
});

test('a file of many pieces: every row once, each epoch, in batches, also shuffled', async () => {
  const values = numbers(3 * 20_000).map((value) => Math.fround(value));
  const rows = Array.from({ length: 20_000 }, (_, row) => values.slice(row * 3, row * 3 + 3));
  const path = file(`a,b,y\n${rows.map((row) => row.join(',')).join('\n')}\n`); // about 1 MB
  const source = csv(path, { labels: 'y' });
  const all = async (loader: DataLoader) => {
    const batches = await epochOf(loader);
    const xs = batches.flatMap((batch) => batch.xs as number[][]);
    const ys = batches.flatMap((batch) => batch.ys as number[]);
    return {
      sizes: batches.map((batch) => (batch.ys as []).length),
      rows: xs.map((row, i) => [...row, ys[i]!]),
    };
  };
  const plain = new DataLoader(source, { batchSize: 999 });
  for (let epoch = 0; epoch < 2; epoch++) {
    const read = await all(plain);
    expect(read.rows).toEqual(rows);
    expect(read.sizes).toEqual([...new Array(20).fill(999), 20]);
  }
  const shuffled = await all(new DataLoader(source, { batchSize: 999, shuffle: true, dropLast: true }));
  expect(shuffled.sizes).toEqual(new Array(20).fill(999));
  expect(shuffled.rows).not.toEqual(rows.slice(0, 19_980));
  const known = new Set(rows.map(String));
  expect(new Set(shuffled.rows.map(String)).size).toBe(19_980);
  expect(shuffled.rows.every((row) => known.has(String(row)))).toBe(true);
});

test('only a part of the file is in memory at a time', async () => {
  // 64 KB are read at once; a batch needs 100 bytes of them.
  const path = file(`a\n${'1\n'.repeat(2_000_000)}`);
  let read = 0;
  const loader = new DataLoader(csv(path), { batchSize: 50 });
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for await (const batch of loader) {
    (batch.xs as tf.Tensor).dispose();
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    if (++read === 500) break;
  }
  expect(most).toBeLessThan(16 * 2 ** 20); // all rows would be 16 MB of numbers, besides their text
});

test('gives a run the same batches as the same numbers in an array', async () => {
  const rows = Array.from({ length: 24 }, (_, i) => [i / 24, 1 - i / 12, (i % 5) / 5, Math.sin(i)]);
  const path = file(`a,b,c,y\n${rows.map((row) => row.join(',')).join('\n')}\n`);
  const table = { xs: rows.map((row) => row.slice(0, 3)), ys: rows.map(([, , , y]) => [y]) };
  const shapes = { inputs: [{ name: 'in', shape: [3] }], outputs: [{ name: 'out', shape: [1] }] };
  const read = (data: object) => readFeed(feedOf(data as never, { batchSize: 5, shapes }), 2);
  const fromFile = await read(csv(path, { labels: 'y' }));
  expect(fromFile).toHaveLength(10);
  expect(fromFile).toEqual(await read(table));
});

test('several labels become columns of the targets, in their order', async () => {
  expect(await read('a,y,z\n1,2,3\n4,5,6\n', { labels: ['z', 'y'] })).toEqual([
    {
      xs: [[1], [4]],
      ys: [
        [3, 2],
        [6, 5],
      ],
    },
  ]);
});

test('a file without labels has inputs only', async () => {
  expect(await read('a,b\n1,2\n')).toEqual([{ xs: [[1, 2]] }]);
});

test('classes may be features, too, and blanks around a class do not matter', async () => {
  const classes = { colour: ['red', 'blue'] };
  expect(await read('colour,size\nblue,1\n red ,2\n', { classes })).toEqual([
    {
      xs: [
        [1, 1],
        [0, 2],
      ],
    },
  ]);
});

test('the same source can be read by several loaders at once', async () => {
  const source = csv(file('a\n1\n2\n3\n'));
  const [first, second] = [
    new DataLoader(source, { batchSize: 1 }),
    new DataLoader(source, { batchSize: 2 }),
  ];
  const [one, two] = await Promise.all([epochOf(first), epochOf(second)]);
  expect(one).toEqual([{ xs: [[1]] }, { xs: [[2]] }, { xs: [[3]] }]);
  expect(two).toEqual([{ xs: [[1], [2]] }, { xs: [[3]] }]);
});

test('a file that changes between epochs is read as it is then', async () => {
  const path = file('a\n1\n');
  const loader = new DataLoader(csv(path));
  expect(await epochOf(loader)).toEqual([{ xs: [[1]] }]);
  writeFileSync(path, 'b,a\n5,2\n');
  expect(await epochOf(loader)).toEqual([{ xs: [[5, 2]] }]);
});

describe('what cannot be read is named with file, line and column', () => {
  const csvError = (content: string, options: CsvOptions = {}) => errorOf(read(content, options));

  test.each<[string, string, CsvOptions, string[]]>([
    ['text', 'a,b\n1,2\n3,x\n', {}, ['line 3', 'column "b"', '"x" is not a number', "classes: { 'b'"]],
    ['NaN', 'a\n1\nNaN\n', {}, ['line 3', 'column "a"', 'not a number']],
    ['an infinite number', 'a\n1e999\n', {}, ['line 2', 'column "a"']],
    ['an empty cell', 'a,b\n1,2\n3,\n', {}, ['line 3', 'column "b": the cell is empty', 'missing: 0']],
    ['too few cells', 'a,b\n1\n', {}, ['line 2', '1 cells', 'expected 2']],
    ['too many cells', 'a,b\n1,2\n1,2,3\n', {}, ['line 3', '3 cells', 'expected 2']],
    [
      'an unknown class',
      'a,y\n1,rose\n2,tulip\n',
      { labels: 'y', classes: { y: ['rose'] } },
      ['line 3', 'column "y"', '"tulip"', 'rose'],
    ],
    ['an unknown label', 'width,y\n1,2\n', { labels: 'z' }, ['no column "z"', 'Columns: width, y']],
    ['a mistyped feature', 'width,y\n1,2\n', { features: ['widht'] }, ['Did you mean "width"?']],
    ['a mistyped weight', 'width,y\n1,2\n', { weights: 'x' }, ['no column "x"']],
    ['classes of an unknown column', 'width,y\n1,2\n', { classes: { z: [] } }, ['no column "z"']],
    ['two columns of one name', 'a,a\n1,2\n', {}, ['two columns are called "a"']],
    ['labels only', 'y\n2\n', { labels: 'y' }, ['no column is left for the features']],
    ['no rows', 'a,b\n', {}, ['has no rows']],
    ['nothing', '', {}, ['has no rows']],
  ])('%s', async (_name, content, options, parts) => {
    const error = await csvError(content, options);
    expect(error.code, error.message).toBe('BAD_DATA');
    for (const part of ['data.csv', ...parts]) expect(error.message).toContain(part);
  });

  test('a line far into the file, after cells with line breaks', async () => {
    const lines = ['a,b', ...Array.from({ length: 30_000 }, () => '1,2'), '"1","2"', '3,bad'];
    const error = await csvError(lines.join('\n'));
    expect(error.message).toContain('line 30003, column "b": "bad"');
  });

  test('a file that does not exist, and one that is not gzip', async () => {
    const missing = await errorOf(epochOf(new DataLoader(csv(join(tempFolder(), 'none.csv')))));
    expect(missing.code).toBe('BAD_DATA');
    expect(missing.message).toContain('none.csv cannot be read: There is no such file.');
    const broken = await errorOf(epochOf(new DataLoader(csv(file('a\n1\n', 'a.csv.gz')))));
    expect(broken.code).toBe('BAD_DATA');
    expect(broken.message).toContain('a.csv.gz cannot be read: incorrect header check');
  });

  test('options that make no sense', async () => {
    const bad = (options: object) => errorOf(() => csv('x.csv', options as CsvOptions));
    expect((await bad({ label: 'y' })).message).toContain('Did you mean "labels"?');
    for (const delimiter of ['', ',,', '"', '\n']) {
      expect((await bad({ delimiter })).message).toContain('delimiter');
    }
    expect((await bad({ dtype: 'float64' })).message).toContain('"float32" or "int32"');
  });
});
