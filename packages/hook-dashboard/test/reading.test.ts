import { expect, test } from 'vitest';
import { nearest, placeAfter, readOut } from '../page/reading.js';

test.each([
  ['ArrowLeft', 49],
  ['ArrowRight', 51],
  ['PageUp', 40],
  ['PageDown', 60],
  ['Home', 0],
  ['End', 99],
])('%s leads from point 50 of 100 to %i', (key, place) => {
  expect(placeAfter(key, 50, 99)).toBe(place);
});

test('no key leads beyond the first and the last point', () => {
  expect(['ArrowLeft', 'PageUp'].map((key) => placeAfter(key, 0, 99))).toEqual([0, 0]);
  expect(['ArrowRight', 'PageDown'].map((key) => placeAfter(key, 99, 99))).toEqual([99, 99]);
  expect(placeAfter('PageDown', 3, 5)).toBe(5);
});

test.each(['Tab', 'Enter', ' ', 'a', 'ArrowUp', 'constructor', '__proto__'])(
  'the key "%s" is left to the browser',
  (key) => {
    expect(placeAfter(key, 50, 99)).toBeUndefined();
  },
);

test('a chart without points takes no key', () => {
  expect(placeAfter('Home', -1, -1)).toBeUndefined();
});

test('every line is read out, with the latest value up to that step', () => {
  const lines = [{ label: 'train/loss' }, { label: 'val/loss' }, { label: 'test/loss' }];
  const data = [
    [10, 20, 30],
    [0.5, 0.25, 0.125],
    [null, 0.123456, undefined],
    [null, null, 1],
  ];
  expect(readOut('loss', lines, data, 1)).toBe(
    'loss, step 20: train/loss 0.25, val/loss 0.1235, test/loss no value',
  );
  expect(readOut('loss', lines, data, 2)).toBe(
    'loss, step 30: train/loss 0.125, val/loss 0.1235, test/loss 1',
  );
});

test('a zero is a value', () => {
  expect(nearest([3, 0, null], 2)).toBe('0');
  expect(nearest([], 0)).toBe('no value');
});
