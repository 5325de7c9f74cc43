import { errorOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { csvLine, readHeader } from '../../src/csv/csv-text.js';
import { histogramPath } from '../../src/csv/histogram-table.js';
import { parseCsv } from './parse-csv.js';

const ODD = ['plain', 'a,b', 'say "hi"', 'two\nlines', '', ' spaces ', 'a\r\nb'];

test('whatever a name holds, a table reader finds it again', () => {
  expect(parseCsv(csvLine(ODD) + csvLine([1, -0.5, Number.NaN, Infinity, 1e-9, '', 'x']))).toEqual([
    ODD,
    ['1', '-0.5', 'NaN', 'Infinity', '1e-9', '', 'x'],
  ]);
});

test('the header of a file is found again, and where its rows begin', () => {
  const content = `${csvLine(['time', ...ODD])}rows\n`;
  const { columns, end } = readHeader(content, ['time']);
  expect(columns).toEqual(['time', ...ODD]);
  expect(content.slice(end)).toBe('rows\n');
});

test('a header with the line breaks of Windows is one, too', () => {
  expect(readHeader('time,run\r\n1,2\r\n', ['time', 'run'])).toEqual({ columns: ['time', 'run'], end: 10 });
});

test.each(['', 'name,phone\n', 'run,time\n', '{"level":"info"}\n'])(
  'a file that begins with %j is refused',
  async (content) => {
    const error = await errorOf(() => readHeader(content, ['time', 'run']));
    expect(error).toMatchObject({
      code: 'LOG_FILE',
      message: expect.stringContaining('Choose another name'),
    });
  },
);

test.each([
  ['runs/x/log.csv', 'runs/x/log-histograms.csv'],
  ['TABLE.CSV', 'TABLE-histograms.CSV'],
  ['results', 'results-histograms.csv'],
  ['a.csv/b.txt', 'a.csv/b.txt-histograms.csv'],
])('the histograms of %s are in %s', (path, beside) => {
  expect(histogramPath(path)).toBe(beside);
});
