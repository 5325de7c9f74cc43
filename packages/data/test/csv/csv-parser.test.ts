import { errorOf, numbers } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { CsvParser } from '../../src/csv/csv-parser.js';

/** All rows, the text cut at these places. */
function parse(text: string, cuts: readonly number[] = [], delimiter = ','): string[][] {
  const parser = new CsvParser('file.csv', delimiter);
  const places = [0, ...[...cuts].sort((a, b) => a - b), text.length];
  const rows = places.slice(1).flatMap((end, index) => parser.push(text.slice(places[index], end)));
  return [...rows, ...parser.end()].map(({ cells }) => cells);
}

/** A plain reader of the whole text, cell by cell, for text that is known to be well formed. */
function reference(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let rest = text;
  let row: string[] = [];
  while (rest !== '') {
    let cell: string;
    if (rest.startsWith('"')) {
      const quoted = /^"((?:[^"]|"")*)"/.exec(rest)!;
      cell = quoted[1]!.replaceAll('""', '"');
      rest = rest.slice(quoted[0].length);
    } else {
      const ends = [delimiter, '\n', '\r\n'].map((end) => rest.indexOf(end)).filter((at) => at >= 0);
      const end = ends.length === 0 ? rest.length : Math.min(...ends);
      cell = rest.slice(0, end);
      rest = rest.slice(end);
      if (cell === '' && row.length === 0 && /^\r?\n/.test(rest)) {
        rest = rest.replace(/^\r?\n/, '');
        continue; // an empty line
      }
    }
    row.push(cell);
    if (rest.startsWith(delimiter)) {
      rest = rest.slice(1);
      if (rest === '' || /^\r?\n/.test(rest)) row.push('');
      else continue;
    }
    rest = rest.replace(/^\r?\n/, '');
    rows.push(row);
    row = [];
  }
  return rows;
}

test.each<[string, string[][]]>([
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\n\n\r\n1,2\n\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['"a,b","c""d","e\nf","g\r\nh",""\n', [['a,b', 'c"d', 'e\nf', 'g\r\nh', '']]],
  [',\n', [['', '']]],
  [
    'a,\n,b',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  ['""\n', [['']]],
  [' a , b \n', [[' a ', ' b ']]],
  ['', []],
  ['\n\n', []],
  ['a\r', [['a']]],
  ['"a"', [['a']]],
])('%j', (text, expected) => {
  expect(parse(text)).toEqual(expected);
  expect(
    parse(
      text,
      [...text].map((_, index) => index),
    ),
  ).toEqual(expected);
});

test('random tables come back as they were, however the text is cut', () => {
  const random = numbers(400_000, 3);
  let drawn = 0;
  const draw = (below: number) => Math.floor(((random[drawn++ % random.length]! + 1) / 2) * below);
  const alphabet = ['a', '7', '.', ' ', 'é', '😀', '"', ',', ';', '\t', '\n', '\r\n'];
  for (let round = 0; round < 400; round++) {
    const delimiter = [',', ';', '\t', '|'][draw(4)]!;
    const [lineBreak, width] = [['\n', '\r\n'][draw(2)]!, 1 + draw(4)];
    const table = Array.from({ length: 1 + draw(5) }, () =>
      Array.from({ length: width }, () =>
        Array.from({ length: draw(6) }, () => alphabet[draw(alphabet.length)]).join(''),
      ),
    );
    const text = table
      .map((row) =>
        row
          .map((cell) => {
            const mustQuote =
              /["\r\n]/.test(cell) || cell.includes(delimiter) || (width === 1 && cell === '');
            return mustQuote || draw(4) === 0 ? `"${cell.replaceAll('"', '""')}"` : cell;
          })
          .join(delimiter),
      )
      .join(lineBreak)
      .concat(draw(2) === 0 ? lineBreak : '');
    const cuts = Array.from({ length: draw(8) }, () => draw(text.length + 1));
    expect(parse(text, cuts, delimiter), JSON.stringify(text)).toEqual(table);
    expect(reference(text, delimiter), JSON.stringify(text)).toEqual(table);
  }
});

test('random text is read like by a plain reader, or refused', async () => {
  const random = numbers(200_000, 4);
  let drawn = 0;
  const draw = (below: number) => Math.floor(((random[drawn++ % random.length]! + 1) / 2) * below);
  let refused = 0;
  for (let round = 0; round < 3000; round++) {
    const text = Array.from(
      { length: draw(12) },
      () => ['a', ',', '"', '""', '\n', '\r\n', ' '][draw(7)],
    ).join('');
    // Well formed: quotes only around whole cells.
    const isWellFormed = /^(?:(?:"(?:[^"]|"")*"|[^",\r\n]*)(?:,|\r?\n|$))*$/.test(text);
    if (isWellFormed) expect(parse(text), JSON.stringify(text)).toEqual(reference(text, ','));
    else {
      refused++;
      expect((await errorOf(() => parse(text))).code, JSON.stringify(text)).toBe('BAD_DATA');
    }
  }
  expect(refused).toBeGreaterThan(300);
  expect(refused).toBeLessThan(2700);
});

test('rows know the line they begin on', () => {
  const parser = new CsvParser('file.csv', ',');
  const rows = [...parser.push('a,b\n\n"x\ny",1\r\n'), ...parser.push('2,3'), ...parser.end()];
  expect(rows.map(({ line }) => line)).toEqual([1, 3, 5]);
});

test.each([
  ['a,b\n1,2"3\n', 'line 2', 'a quote within a cell'],
  ['a\n"b"c\n', 'line 2', 'text after a quoted cell'],
  ['a\nb\n"c\nd,e\n', 'line 5', 'a quote is not closed (the row starts on line 3)'],
  ['a\rb\n', 'line 1', 'carriage return alone'],
])('%j is refused with the line', async (text, line, what) => {
  const error = await errorOf(() => parse(text));
  expect(error.code).toBe('BAD_DATA');
  expect(error.message).toContain(`file.csv, ${line}: `);
  expect(error.message).toContain(what);
});

test('an unclosed quote does not read a whole file into memory', async () => {
  const parser = new CsvParser('file.csv', ',');
  const piece = 'x'.repeat(2 ** 20);
  parser.push('a,b\n1,"');
  const error = await errorOf(() => {
    for (let i = 0; i < 17; i++) parser.push(piece);
  });
  expect(error.message).toContain('file.csv, line 2: the row is too long; a quote may be unclosed');
});
