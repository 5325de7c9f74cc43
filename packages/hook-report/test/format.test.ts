import { expect, test } from 'vitest';
import { countText, dateText, durationText, numberText } from '../src/page/format.js';

test.each<[number | undefined, string]>([
  [undefined, ''],
  [0, '0'],
  [1, '1'],
  [0.123456, '0.1235'],
  [-12.3456, '-12.35'],
  [0.001, '0.001'],
  [0.000123456, '1.23e-4'],
  [999_949, '999900'],
  [999_999, '1.00e6'],
  [-0.000_999_999, '-0.001'],
  [1e6, '1.00e6'],
  [-3.2e38, '-3.20e38'],
  [Number.NaN, 'NaN'],
  [-Infinity, '-Infinity'],
])('a number: %d is %s', (value, text) => {
  expect(numberText(value)).toBe(text);
});

test.each<[number | undefined, string]>([
  [undefined, ''],
  [0, '0'],
  [999, '999'],
  [1_000, '1,000'],
  [1_234_567, '1,234,567'],
])('a count: %d is %s', (value, text) => {
  expect(countText(value)).toBe(text);
});

test.each<[number | undefined, string]>([
  [undefined, ''],
  [Number.NaN, ''],
  [0.1234, '0.123 ms'],
  [999, '999 ms'],
  [999.9, '1 s'],
  [1_840, '1.8 s'],
  [47_000, '47 s'],
  [59_600, '1 min 0 s'],
  [60_000, '1 min 0 s'],
  [119_700, '2 min 0 s'],
  [724_000, '12 min 4 s'],
  [11_520_000, '3 h 12 min'],
  [3_599_900, '1 h 0 min'],
])('a duration: %d ms is %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});

test('a date is shown to the minute', () => {
  expect(dateText('2026-11-18T02:51:44.123Z')).toBe('2026-11-18 02:51');
  expect(dateText(undefined)).toBe('');
});
