import { expect, test } from 'vitest';
import {
  formatCount,
  formatDuration,
  formatMetrics,
  formatNumber,
  formatRate,
} from '../../src/console/format.js';

test('numbers always have four significant digits', () => {
  const numbers = [0.123456, 1, 12.3456, 1234.56, 123456, 0.00001234, 0, -0.5, 1e-9];
  expect(numbers.map(formatNumber)).toEqual([
    '0.1235',
    '1.000',
    '12.35',
    '1235',
    '1.235e+5',
    '1.234e-5',
    '0.000',
    '-0.5000',
    '1.000e-9',
  ]);
});

test('NaN and infinities are shown as such', () => {
  expect([Number.NaN, Infinity, -Infinity].map(formatNumber)).toEqual(['NaN', 'Infinity', '-Infinity']);
});

test('counts have a comma before every three digits', () => {
  expect([0, 999, 1000, 38282, 1234567].map(formatCount)).toEqual([
    '0',
    '999',
    '1,000',
    '38,282',
    '1,234,567',
  ]);
});

test('durations read like a clock from a minute on', () => {
  expect([0.04, 59.94, 61, 3725].map(formatDuration)).toEqual(['0.0 s', '59.9 s', '1:01', '1:02:05']);
});

test('rates have three digits', () => {
  expect([0.1234, 12.345, 512.3].map(formatRate)).toEqual(['0.123 batch/s', '12.3 batch/s', '512 batch/s']);
});

test('metrics are grouped by prefix, in their order', () => {
  const metrics = {
    'train/loss': 0.5,
    'val/loss': 0.6,
    'train/accuracy': 0.9,
    'val/second/loss': 0.7,
    plain: 1,
  };
  expect(formatMetrics(metrics)).toEqual([
    'train loss 0.5000 accuracy 0.9000',
    'val loss 0.6000 second/loss 0.7000',
    'plain 1.000',
  ]);
});
