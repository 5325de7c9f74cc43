import { expect, test } from 'vitest';
import { durationText, numberText } from '../page/dom.js';
import { chartOf, type RunMessage, rankOf, smoothed, taken } from '../page/points.js';

const message = (isWhole: boolean, series: RunMessage['series']) =>
  ({
    id: 'a',
    folder: 'a',
    isWhole,
    status: 'running',
    resumes: [],
    epochs: 0,
    warnings: [],
    series,
  }) as RunMessage;

test('a page adds what is new to what it knows, and begins again with a whole message', () => {
  const first = taken(
    undefined,
    message(true, {
      loss: [
        [1, 2],
        [9, 8],
      ],
    }),
  );
  const second = taken(first, message(false, { loss: [[3], [7]], lr: [[3], [0.1]] }));
  expect([...second.points]).toEqual([
    [
      'loss',
      [
        [1, 2, 3],
        [9, 8, 7],
      ],
    ],
    ['lr', [[3], [0.1]]],
  ]);
  expect([...taken(second, message(true, { loss: [[1], [5]] })).points]).toEqual([['loss', [[1], [5]]]]);
});

test('points that it is told twice are drawn once', () => {
  const first = taken(
    undefined,
    message(true, {
      loss: [
        [1, 2, 3],
        [9, 8, 7],
      ],
    }),
  );
  const second = taken(
    first,
    message(false, {
      loss: [
        [2, 3, 4],
        [8, 7, null],
      ],
    }),
  );
  expect(second.points.get('loss')).toEqual([
    [1, 2, 3, 4],
    [9, 8, 7, null],
  ]);
});

test('smoothing forgets, is not pulled to its first value, and leaves gaps as they are', () => {
  expect(smoothed([4, null, 4, 4], 0.9).map((value) => value && Number(value.toFixed(9)))).toEqual([
    4,
    null,
    4,
    4,
  ]);
  const [, , last] = smoothed([0, 0, 10], 0.5);
  expect(last).toBeGreaterThan(5);
  expect(last).toBeLessThan(10);
  const values = [3, 1, 2];
  expect(smoothed(values, 0)).toBe(values);
});

test('training, validation and batches share a chart; other names have their own', () => {
  expect(['train/loss', 'val/loss', 'test/loss', 'batch/loss'].map(chartOf)).toEqual(Array(4).fill('loss'));
  expect(['lr/adam', 'grad/norm', 'x'].map(chartOf)).toEqual(['lr/adam', 'grad/norm', 'x']);
});

test('loss comes first, then what was measured, rates, gradients, speed; memory last', () => {
  const titles = ['memory/rss', 'x/y', 'speed/a', 'grad/norm', 'lr/adam', 'accuracy', 'loss'];
  expect(titles.sort((a, b) => rankOf(a) - rankOf(b))).toEqual([
    'loss',
    'accuracy',
    'lr/adam',
    'grad/norm',
    'speed/a',
    'x/y',
    'memory/rss',
  ]);
});

test('numbers and durations are short', () => {
  expect([0, 0.12345, 1e-5, 2e6, null, undefined].map(numberText)).toEqual([
    '0',
    '0.1235',
    '1.00e-5',
    '2.00e6',
    '',
    '',
  ]);
  expect([undefined, 12, 1_500, 61_000, 3_660_000].map(durationText)).toEqual([
    '',
    '12 ms',
    '1.5 s',
    '1 min 1 s',
    '1 h 1 min',
  ]);
});
