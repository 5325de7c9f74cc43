import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type CsvOptions, csv } from '../../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'hookline-csv-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The numbers of a file, or the message of the error. */
async function numbersOf(text: string, options: CsvOptions): Promise<number[][] | string> {
  const file = join(folder, 'data.csv');
  writeFileSync(file, text);
  const rows: number[][] = [];
  try {
    for await (const piece of csv(file, options).stream().open(0) as AsyncIterable<Float64Array[]>)
      rows.push(...piece.map((row) => [...row]));
  } catch (error) {
    return (error as Error).message;
  }
  return rows;
}

const CELLS = [
  ...['0', '-0', '7', '-12', '3.25', '-0.1', '.5', '5.', '007', '0.1234567890123', '123456789012345', '+4'],
  ...[
    '1234567890123456789',
    '0.12345678901234567',
    '1e-7',
    '-2.5E+3',
    '9007199254740993',
    ' 6',
    '8 ',
    '0x1f',
  ],
  ...['0.30000000000000004', '179769313486231570000', '4.35', '2.675', '1.005', '-.75', '99999999999999.9'],
];

it('reads the same numbers from plain cells as from quoted ones', async () => {
  let seed = 1;
  const draw = (n: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >> 8) % n;
  };
  for (const [delimiter, newline] of [
    [',', '\n'],
    [';', '\r\n'],
    ['\t', '\n'],
  ] as const) {
    const rows = Array.from({ length: 400 }, () =>
      Array.from({ length: 5 }, () => CELLS[draw(CELLS.length)]!),
    );
    const file = (cell: (text: string) => string) =>
      [['a', 'b', 'c', 'd', 'e'], ...rows].map((row) => row.map(cell).join(delimiter) + newline).join('');
    const options = { features: ['e', 'b', 'a'], labels: 'd', delimiter };
    const plain = await numbersOf(file(String), options);
    expect(plain).toEqual(rows.map(([a, b, , d, e]) => [e, b, a, d].map(Number)));
    expect(plain).toEqual(
      await numbersOf(
        file((text) => `"${text}"`),
        options,
      ),
    );
    // Some are quoted, in any place.
    expect(
      await numbersOf(
        file((text) => (draw(4) === 0 ? `"${text}"` : text)),
        options,
      ),
    ).toEqual(plain);
  }
});

it.each([
  ['a word', '1,2\n3,4\nfive,6\n', 'line 4, column "a": "five" is not a number'],
  ['too few cells', '1,2\n3\n', 'line 3: the row has 1 cells, expected 2'],
  ['too many cells', '1,2\n\n3,4,5\n', 'line 4: the row has 3 cells, expected 2'],
  ['an empty cell', '1,2\n3,\n', 'line 3, column "b": the cell is empty'],
  ['a quote in a cell', '1,2\n3,4"\n', 'line 3: there is a quote within a cell'],
  ['two dots', '1,2\n1.2.3,4\n', 'line 3, column "a": "1.2.3" is not a number'],
  ['a carriage return alone', '1,2\n3\r4,5\n', 'line 3: a carriage return alone'],
])('%s after plain rows is named with its line', async (_what, rows, message) => {
  expect(await numbersOf(`a,b\n${rows}`, {})).toContain(message);
});

it('fills empty cells of plain rows, and knows classes', async () => {
  const options = { labels: 'kind', classes: { kind: ['cat', 'dog'] }, missing: -1 };
  expect(await numbersOf('a,b,kind\n1,,dog\n,2, cat \n\n3,4,dog', options)).toEqual([
    [1, -1, 1],
    [-1, 2, 0],
    [3, 4, 1],
  ]);
});

it('reads plain rows that were cut anywhere between two pieces of the file', async () => {
  const rows = Array.from({ length: 60_000 }, (_, i) => [i, -i / 8, i * 1.5]);
  const text = `a,b,c\n${rows.map((row) => row.join(',')).join('\r\n')}`;
  expect(text.length).toBeGreaterThan(3 * 2 ** 18);
  const found = (await numbersOf(text, {})) as number[][];
  expect(found.length).toBe(rows.length);
  expect(found.findIndex((row, i) => row.some((value, j) => value !== rows[i]![j]))).toBe(-1);
});
