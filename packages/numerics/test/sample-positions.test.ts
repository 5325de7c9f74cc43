import { expect, test } from 'vitest';
import { SAMPLE_SIZE, samplePositions } from '../src/sample-positions.js';

const positionsOf = samplePositions();

test('up to 4,096 values are all looked at', () => {
  expect(positionsOf(1)).toBeUndefined();
  expect(positionsOf(4096)).toBeUndefined();
});

test('of more, 4,096 are, one in each equal stretch', () => {
  for (const size of [4097, 5000, 200_704, 2 ** 27 + 3]) {
    const positions = [...positionsOf(size)!];
    expect(positions).toHaveLength(SAMPLE_SIZE);
    const stretch = size / SAMPLE_SIZE;
    expect(positions.every((at, i) => at >= Math.floor(i * stretch) && at < (i + 1) * stretch)).toBe(true);
    expect(positions.at(-1)).toBeLessThan(size);
  }
});

test('the places are the same each time', () => {
  expect(samplePositions()(100_000)).toEqual(positionsOf(100_000));
});

test('all columns of a matrix are met alike, also where its width divides the stretch', () => {
  const [rows, columns] = [4096, 1024];
  const met = new Array<number>(8).fill(0);
  for (const position of positionsOf(rows * columns)!)
    met[Math.floor(((position % columns) / columns) * 8)]!++;
  for (const count of met) expect(Math.abs(count - 512)).toBeLessThan(4 * Math.sqrt(512 * (7 / 8)));
});

test('the share of values that are sampled from any part is that part of the whole', () => {
  const size = 1_000_003;
  const mean = [...positionsOf(size)!].reduce((sum, at) => sum + at, 0) / SAMPLE_SIZE;
  expect(mean / size).toBeCloseTo(0.5, 4);
});
