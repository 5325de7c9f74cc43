import { expect, test } from 'vitest';
import { isBetter, missingMetric, modeOf } from '../src/helpers.js';

test('lower is better with min, higher with max', () => {
  expect(isBetter(0.4, 0.5, { mode: 'min', minDelta: 0 })).toBe(true);
  expect(isBetter(0.6, 0.5, { mode: 'min', minDelta: 0 })).toBe(false);
  expect(isBetter(0.6, 0.5, { mode: 'max', minDelta: 0 })).toBe(true);
  expect(isBetter(0.4, 0.5, { mode: 'max', minDelta: 0 })).toBe(false);
});

test('a gain of exactly minDelta is not an improvement, any more is', () => {
  expect(isBetter(0.5, 0.75, { mode: 'min', minDelta: 0.25 })).toBe(false);
  expect(isBetter(0.49, 0.75, { mode: 'min', minDelta: 0.25 })).toBe(true);
  expect(isBetter(0.75, 0.5, { mode: 'max', minDelta: 0.25 })).toBe(false);
  expect(isBetter(0.76, 0.5, { mode: 'max', minDelta: 0.25 })).toBe(true);
});

test('rounding decides as in Keras and Lightning: they add minDelta to the value', () => {
  // The differences of these numbers are 0.050000000000000044, more than minDelta.
  expect(isBetter(-1.05, -1, { mode: 'min', minDelta: 0.05 })).toBe(false);
  expect(isBetter(1.05, 1, { mode: 'max', minDelta: 0.05 })).toBe(false);
  expect(isBetter(0.7, 0.8, { mode: 'min', minDelta: 0.1 })).toBe(0.7 + 0.1 < 0.8);
  expect(isBetter(0.8, 0.7, { mode: 'max', minDelta: 0.1 })).toBe(0.8 - 0.1 > 0.7);
});

test('an equal value is not an improvement, also with minDelta 0', () => {
  expect(isBetter(0.5, 0.5, { mode: 'min', minDelta: 0 })).toBe(false);
  expect(isBetter(0.5, 0.5, { mode: 'max', minDelta: 0 })).toBe(false);
});

test('NaN is never better, not even than nothing', () => {
  for (const mode of ['min', 'max'] as const) {
    for (const best of [undefined, 0, Infinity, -Infinity, Number.NaN]) {
      expect(isBetter(Number.NaN, best, { mode, minDelta: 0 })).toBe(false);
    }
  }
});

test('the first value is better than nothing, and infinity can be beaten but not by itself', () => {
  expect(isBetter(Infinity, undefined, { mode: 'min', minDelta: 0 })).toBe(true);
  expect(isBetter(5, Infinity, { mode: 'min', minDelta: 0.1 })).toBe(true);
  expect(isBetter(Infinity, Infinity, { mode: 'min', minDelta: 0 })).toBe(false);
  expect(isBetter(-Infinity, -Infinity, { mode: 'max', minDelta: 0 })).toBe(false);
});

test('the mode is what was said, min otherwise, and asked for where higher is usually better', () => {
  expect(modeOf('mine', 'val/loss', undefined)).toBe('min');
  expect(modeOf('mine', 'val/accuracy', 'max')).toBe('max');
  expect(modeOf('mine', 'val/accuracy', 'min')).toBe('min');
  for (const monitor of ['val/accuracy', 'val/top-k_acc', 'test/F1', 'mine/auc', 'val/IoU/cat']) {
    expect(() => modeOf('mine', monitor, undefined)).toThrow(/Hook "mine" monitors .* Say mode: "max"/);
  }
  for (const monitor of ['val/scoreless', 'val/mae', 'val/precisely']) {
    expect(modeOf('mine', monitor, undefined)).toBe('min');
  }
});

test('a metric that is not there is named with the nearest one, and with all there are', () => {
  expect(missingMetric('early-stopping', 'val/los', ['train/loss', 'val/loss'])).toBe(
    'early-stopping monitors "val/los", but there is no such metric. Did you mean "val/loss"? ' +
      'Metrics so far: train/loss, val/loss.',
  );
  expect(missingMetric('notify', 'val/loss', [])).toBe(
    'notify monitors "val/loss", but there is no such metric. Metrics so far: none.',
  );
});
