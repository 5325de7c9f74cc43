import { describe, expect, it } from 'vitest';
import { columnSums, softmax, softmaxGradient, sumOfRow } from './reference/rows.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 15, 16, 17, 19, 31, 32, 33, 67];
const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;

describe.skipIf(!kernels)('sum', () => {
  const run = (x: Float32Array, outer: number, count: number, inner: number, factor = 1): Float32Array =>
    call('sum', { inputs: { x }, outputs: { out: outer * inner }, values: { outer, count, inner, factor } })
      .out!;

  it('of rows adds blocks of 512 as doubles', () => {
    for (const count of [1, 7, 8, 9, 511, 512, 513, 2047, 2048, 2049, 2560, 5000]) {
      for (const factor of [1, 1 / count]) {
        const x = floats(3 * count, 1);
        const rows = [0, 1, 2].map((row) => sumOfRow(x.subarray(row * count, (row + 1) * count)));
        expectBits(
          run(x, 3, count, 1, factor),
          rows.map((each) => each * Math.fround(factor)),
          `${count} numbers`,
        );
      }
    }
  });

  it('of rows stays right where sums of 32 bits would lose the small ones', () => {
    const count = 2 ** 20;
    const x = new Float32Array(count).fill(0.1);
    expect(run(x, 1, count, 1)[0]! / (count * Math.fround(0.1))).toBeCloseTo(1, 5);
  });

  it('of columns adds 128 rows at a time', () => {
    for (const inner of [2, 7, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 130]) {
      for (const count of [1, 2, 127, 128, 129, 260]) {
        const x = floats(count * inner, 2);
        expectBits(run(x, 1, count, inner), columnSums(x, count, inner), `${count} x ${inner}`);
      }
    }
  });

  it('of columns multiplies by its factor at the end, for each of the outer axis', () => {
    const [outer, count, inner, factor] = [3, 130, 37, Math.fround(1 / 130)];
    const x = floats(outer * count * inner, 3);
    const expected = [0, 1, 2].flatMap((i) => [
      ...columnSums(x.subarray(i * count * inner, (i + 1) * count * inner), count, inner).map(
        (s) => s * factor,
      ),
    ]);
    expectBits(run(x, outer, count, inner, factor), expected);
  });

  it('keeps NaN and infinities in their own rows and columns', () => {
    const rows = Float32Array.from([1, nan, infinity, 2, infinity, -infinity, 3, 4]);
    expectBits(run(rows, 4, 2, 1), [nan, infinity, nan, 7]);
    expectBits(run(rows, 1, 4, 2), [infinity, nan]);
    const x = specialFloats(9 * 35, 4, 20);
    expectBits(run(x, 1, 9, 35), columnSums(x, 9, 35));
  });
});

describe.skipIf(!kernels)('softmax', () => {
  const run = (x: Float32Array, width: number): Float32Array =>
    call('softmax', {
      inputs: { x },
      outputs: { out: x.length },
      values: { height: x.length / width, width },
    }).out!;

  it('has the right bits at every width around a vector', () => {
    for (const width of WIDTHS) {
      for (const height of [1, 4]) {
        const x = floats(height * width, 5, -20, 20);
        expectBits(run(x, width), softmax(x, width), `${height} x ${width}`);
      }
    }
  });

  it('is what softmax should be: the powers of e, as parts of one', () => {
    for (const width of [3, 10, 33]) {
      const x = floats(width, 6, -5, 5);
      const powers = [...x].map(Math.exp);
      const total = powers.reduce((sum, each) => sum + each, 0);
      run(x, width).forEach((each, i) => {
        expect(each / (powers[i]! / total)).toBeCloseTo(1, 5);
      });
    }
  });

  it('takes logits of any size', () => {
    expectBits(run(Float32Array.of(1e30, 1e30, -1e30, 1e30), 4), [1 / 3, 1 / 3, 0, 1 / 3].map(Math.fround));
    expectBits(run(Float32Array.of(3e38, -3e38), 2), [1, 0]);
    expectBits(run(Float32Array.of(-infinity, 0, -infinity), 3), [0, 1, 0]);
  });

  it('makes a row of NaN where there is one in it, or nothing to compare, and leaves the other rows', () => {
    const x = Float32Array.of(...[0, nan, 0], ...[0, 0, 0], ...[-infinity, -infinity, -infinity]);
    const third = Math.fround(1 / 3);
    expectBits(run(x, 3), [nan, nan, nan, third, third, third, nan, nan, nan]);
    const wide = floats(2 * 19, 7);
    wide[3] = nan;
    expect(run(wide, 19).subarray(0, 19).every(Number.isNaN)).toBe(true);
    expectBits(run(wide, 19).subarray(19), softmax(wide.slice(19), 19));
  });

  it('may write where it reads', () => {
    const x = floats(5 * 21, 8);
    const values = { height: 5, width: 21 };
    expectBits(call('softmax', { outputs: { out: x }, values, same: { x: 'out' } }).out!, softmax(x, 21));
  });
});

describe.skipIf(!kernels)('softmaxGradient', () => {
  const run = (dy: Float32Array, y: Float32Array, width: number): Float32Array =>
    call('softmaxGradient', {
      inputs: { dy, y },
      outputs: { out: y.length },
      values: { height: y.length / width, width },
    }).out!;

  it('has the right bits at every width around a vector, special numbers included', () => {
    for (const width of WIDTHS) {
      for (const numbers of [floats, (count: number, seed: number) => specialFloats(count, seed, 30)]) {
        const [dy, y] = [numbers(3 * width, 9), numbers(3 * width, 10)];
        expectBits(run(dy, y, width), softmaxGradient(dy, y, width), `${width} columns`);
      }
    }
  });

  it('is nothing along a shift of all logits', () => {
    const y = softmax(floats(24, 11), 24);
    run(new Float32Array(24).fill(3), y, 24).forEach((each) => {
      expect(each).toBeCloseTo(0, 6);
    });
  });
});
