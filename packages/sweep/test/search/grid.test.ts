import { errorOf } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { gridPoint, gridSize } from '../../src/search/grid.js';
import { choice, integer, logUniform, uniform } from '../../src/space.js';

test('a grid has every combination once, the last dimension changing fastest', () => {
  const space = { optimizer: choice('sgd', 'adam'), units: integer(1, 3) };
  expect(gridSize(space)).toBe(6);
  expect(Array.from({ length: 6 }, (_, i) => Object.values(gridPoint(space, i)).join(' '))).toEqual([
    ...['sgd 1', 'sgd 2', 'sgd 3'],
    ...['adam 1', 'adam 2', 'adam 3'],
  ]);
});

test('ranges are cut into equal steps on their scale, bounds included', () => {
  const space = { lr: logUniform(1e-4, 1e-2, { steps: 3 }), drop: uniform(0, 0.5, { steps: 2 }) };
  const points = Array.from({ length: gridSize(space) }, (_, i) => gridPoint(space, i));
  expect([...new Set(points.map(({ lr }) => Number((lr as number).toPrecision(9))))]).toEqual([
    1e-4, 1e-3, 1e-2,
  ]);
  expect([...new Set(points.map(({ drop }) => drop))]).toEqual([0, 0.5]);
});

test('integers that are cut into more steps than they have values are not repeated', () => {
  expect(gridSize({ units: integer(1, 3, { steps: 9 }) })).toBe(3);
});

test('a range without steps is refused, with what to write', async () => {
  const error = await errorOf(() => gridSize({ lr: uniform(0, 1) }));
  expect(error.message).toBe(
    'A grid needs to know how many values to take from "lr": uniform(0, 1, { steps: 5 }), or a choice.',
  );
});
