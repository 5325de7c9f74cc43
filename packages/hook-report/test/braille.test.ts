import { expect, test } from 'vitest';
import { brailleCurve } from '../src/terminal/braille.js';

test('a curve that rises goes from the lower left to the upper right', () => {
  expect(brailleCurve([0, 1, 2, 3], 2, 1)).toEqual(['⡠⠊']);
});

test('lines are as many and as wide as was asked for, the highest value on top, the lowest at the bottom', () => {
  const lines = brailleCurve([3, 1, 2], 10, 4);
  expect(lines.map((line) => [...line].length)).toEqual([10, 10, 10, 10]);
  expect(dots(lines[0]![0]!) & 0x01).toBe(0x01);
  expect([...lines[3]!].some((each) => (dots(each) & 0xc0) > 0)).toBe(true);
});

test('a steep stretch stays one line: every row between two columns has a dot', () => {
  const lines = brailleCurve([0, 0, 0, 0, 100, 100, 100, 100], 4, 3);
  for (const line of lines) expect([...line].some((each) => dots(each) > 0)).toBe(true);
});

test('what is not a number leaves a gap, and does not scale the rest', () => {
  const [line] = brailleCurve([1, 1, Number.NaN, Number.NaN, Number.NaN, 2, 2, Infinity], 8, 1);
  expect(dots(line![0]!)).toBeGreaterThan(0);
  expect(dots(line![3]!)).toBe(0);
  expect(dots(line![5]!)).toBeGreaterThan(0);
});

test('a constant, and one value, are a level line', () => {
  for (const values of [[5, 5, 5], [5]]) {
    const [line] = brailleCurve(values, 3, 1);
    expect(new Set(line)).toEqual(new Set(['⠉']));
  }
});

/** As bits. */
function dots(character: string): number {
  return character.codePointAt(0)! - 0x2800;
}
