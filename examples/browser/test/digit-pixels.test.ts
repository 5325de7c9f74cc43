import { expect, test } from 'vitest';
import { digitPixels } from '../src/digit-pixels.js';

const SIDE = 64;

test('a drawing becomes an image like those of the data: in the middle, as high as the image, wherever it was drawn', () => {
  const small = digitPixels(stroke(10, 20, 4, 16))!;
  const large = digitPixels(stroke(30, 0, 16, 64))!;
  expect(small).toEqual(large);
  expect([Math.min(...small), Math.max(...small)]).toEqual([0, 1]);
  for (let row = 0; row < 8; row++) {
    expect([...small.slice(row * 8, row * 8 + 8)]).toEqual([0, 0, 0, 1, 1, 0, 0, 0]);
  }
});

test('an empty drawing is not an image', () => {
  expect(digitPixels(stroke(0, 0, 0, 0))).toBeUndefined();
});

/** A filled rectangle. */
function stroke(left: number, top: number, width: number, height: number): { ink: number[]; side: number } {
  const ink = Array.from({ length: SIDE * SIDE }, (_, at) => {
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    return Number(x >= left && x < left + width && y >= top && y < top + height);
  });
  return { ink, side: SIDE };
}
