import { describe, expect, it } from 'vitest';
import { type ProductFinish, product, sumOfProducts } from './reference/product.js';
import { call, kernels } from './support/bench.js';
import { expectBits } from './support/bits.js';
import { floats, specialFloats } from './support/numbers.js';

const BOTH = [false, true];

/** Sizes at and around the edges of tiles, vectors and blocks, for AVX2 and for AVX-512. */
const ROWS = [1, 5, 6, 7, 11, 12, 13, 95, 96, 97, 109];
const COLUMNS = [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 48, 65];
const DEPTHS = [1, 2, 7, 8, 9, 255, 256, 257, 512, 513];

describe.skipIf(!kernels)('matMul', () => {
  const check = (
    [m, n, k]: readonly [number, number, number],
    { transposeA = false, transposeB = false, bias = false, relu = false, numbers = floats } = {},
  ): void => {
    const [a, b, offsets] = [numbers(m * k, 1), numbers(k * n, 2), numbers(n, 3)];
    const { out } = call('matMul', {
      inputs: { a, b, ...(bias && { bias: offsets }) },
      outputs: { out: m * n },
      values: { transposeA, transposeB, m, n, k, relu, batch: 1 },
    });
    const finish: ProductFinish = { relu, ...(bias && { bias: offsets }) };
    const expected = product(a, b, { m, n, k, transposeA, transposeB }, finish);
    expectBits(out!, expected, `[${m}, ${k}] x [${k}, ${n}] ${transposeA} ${transposeB}`);
  };

  it.each(BOTH)('has the right bits for every number of rows and columns, transposed: %s', (transposed) => {
    for (const m of ROWS) check([m, 17, 9], { transposeA: transposed });
    for (const n of COLUMNS) {
      check([7, n, 9], { transposeB: transposed });
      check([13, n, 3], { transposeA: true, transposeB: transposed });
    }
  });

  it('starts its sum from 0 at every 256th k, transposed or not', () => {
    for (const k of DEPTHS) {
      for (const transposeA of BOTH) {
        for (const transposeB of BOTH) check([7, 17, k], { transposeA, transposeB });
      }
    }
  });

  it('goes over the block of 512 columns', () => {
    for (const n of [511, 512, 513, 1030]) {
      for (const transposeB of BOTH) check([2, n, 5], { transposeB, bias: true });
    }
  });

  it('adds the bias after the last block of k alone, and relu comes after it', () => {
    for (const k of [3, 256, 300]) {
      for (const relu of BOTH) {
        for (const n of [5, 16, 37]) check([7, n, k], { bias: true, relu });
      }
    }
  });

  it('keeps NaN and infinities where they belong, the sign of zero, and what is denormal', () => {
    for (const [m, n, k] of [
      [5, 9, 4],
      [13, 33, 3],
      [7, 17, 260],
    ] as const) {
      for (const relu of BOTH) {
        check([m, n, k], { relu, bias: true, numbers: (count, seed) => specialFloats(count, seed, 40) });
        check([m, n, k], { relu, transposeA: true, transposeB: true, numbers: specialFloats });
      }
    }
  });

  it('computes a batch, in which an operand may be the same for all', () => {
    const [batch, m, n, k] = [3, 7, 9, 5];
    for (const [batchA, batchB] of [
      [m * k, k * n],
      [m * k, 0],
      [0, k * n],
      [m * k + 3, k * n + 1],
    ] as const) {
      const [a, b] = [floats(2 * batchA + m * k, 4), floats(2 * batchB + k * n, 5)];
      const { out } = call('matMul', {
        inputs: { a, b },
        outputs: { out: batch * m * n },
        values: { m, n, k, batch, batchA, batchB },
      });
      for (let i = 0; i < batch; i++) {
        const expected = product(a.subarray(i * batchA), b.subarray(i * batchB), { m, n, k });
        expectBits(out!.subarray(i * m * n, (i + 1) * m * n), expected, `${i} of the batch`);
      }
    }
  });
});

describe.skipIf(!kernels)('product', () => {
  it.each(BOTH)(
    'reads rows that lie further apart than they are long, and adds to what there is: %s',
    (add) => {
      for (const [m, n, k] of [
        [1, 1, 1],
        [7, 17, 5],
        [12, 32, 257],
      ] as const) {
        for (const transposeA of BOTH) {
          for (const transposeB of BOTH) {
            const [rowA, rowB] = [(transposeA ? m : k) + 3, (transposeB ? k : n) + 2];
            const a = floats(rowA * (transposeA ? k : m), 6);
            const b = floats(rowB * (transposeB ? n : k), 7);
            const [bias, before] = [floats(n, 8), floats(m * n, 9)];
            const { out } = call('product', {
              inputs: { a, b, bias },
              outputs: { out: before },
              values: { rowA, transposeA, rowB, transposeB, m, n, k, relu: true, add },
            });
            const sizes = { m, n, k, rowA, transposeA, rowB, transposeB };
            expectBits(out!, product(a, b, sizes, { bias, relu: true, ...(add && { out: before }) }));
          }
        }
      }
    },
  );

  it('may have the same operand on both sides', () => {
    const a = floats(9 * 9, 10);
    const { out } = call('product', {
      inputs: { a },
      outputs: { out: 81 },
      values: { rowA: 9, rowB: 9, transposeB: true, m: 9, n: 9, k: 9 },
      same: { b: 'a' },
    });
    expectBits(out!, product(a, a, { m: 9, n: 9, k: 9, transposeB: true }));
  });
});

describe.skipIf(!kernels)('productPart', () => {
  it('writes a part of each row, and leaves what is between them', () => {
    for (const n of [1, 8, 9, 33]) {
      for (const add of BOTH) {
        const [m, k, rowOut] = [7, 5, n + 4];
        const [a, b, before] = [floats(m * k, 1), floats(k * n, 2), floats((m - 1) * rowOut + n, 3)];
        const { out } = call('productPart', {
          inputs: { a, b },
          outputs: { out: before },
          values: { rowA: k, rowB: n, rowOut, m, n, k, add },
        });
        const expected = product(a, b, { m, n, k, rowOut }, add ? { out: before } : {});
        if (!add) {
          for (let i = 0; i < expected.length; i++) if (i % rowOut >= n) expected[i] = before[i]!;
        }
        expectBits(out!, expected, `${n} columns`);
      }
    }
  });

  it('refuses rows of the result that overlap, unless there is only one', () => {
    const memory = new Uint8Array(1024).fill(0xaa);
    const run = (rowOut: number, m: number): boolean =>
      kernels!.bind('productPart', () => memory)(0, 3, 0, 256, 5, 0, 512, rowOut, m, 5, 3, 0, 0, 0);
    for (const rowOut of [0, 1, 4]) {
      expect(() => run(rowOut, 2)).toThrow(`productPart: \`rowOut\` is ${rowOut}`);
      expect(memory.every((byte) => byte === 0xaa)).toBe(true);
      expect(run(rowOut, 1)).toBe(true);
      memory.fill(0xaa);
    }
    expect(run(5, 2)).toBe(true);
  });

  it('gives a whole product in parts, with the same bits', () => {
    const [m, n, k] = [13, 70, 300];
    const [a, b, bias] = [floats(m * k, 1), floats(k * n, 2), floats(n, 3)];
    const whole = call('product', {
      inputs: { a, b, bias },
      outputs: { out: m * n },
      values: { rowA: k, rowB: n, m, n, k },
    }).out!;
    for (const [from, to] of [
      [0, 23],
      [23, 24],
      [24, 70],
    ] as const) {
      const width = to - from;
      const part = call('productPart', {
        inputs: { a, b: b.subarray(from), bias: bias.subarray(from, to) },
        outputs: { out: new Float32Array((m - 1) * n + width) },
        values: { rowA: k, rowB: n, rowOut: n, m, n: width, k },
      }).out!;
      for (let i = 0; i < m; i++) {
        expectBits(part.subarray(i * n, i * n + width), whole.subarray(i * n + from, i * n + to));
      }
    }
  });
});

describe.skipIf(!kernels)('sumOfProducts', () => {
  it.each([1, 2, 5])('of %s steps sums them from the last to the first', (time) => {
    // From 257 on a product needs a place of its own before it is added.
    for (const batch of [1, 3, 256, 257]) {
      for (const [m, n] of [
        [1, 1],
        [7, 33],
      ] as const) {
        const sizes = { rowA: m + 2, rowB: n + 1, time, batch, m, n };
        const [a, b] = [floats(time * batch * (m + 2), 1), floats(time * batch * (n + 1), 2)];
        const { out } = call('sumOfProducts', {
          inputs: { a, b },
          outputs: { out: m * n, spare: m * n },
          values: sizes,
        });
        expectBits(out!, sumOfProducts(a, b, sizes), `${batch} sequences, ${m} x ${n}`);
      }
    }
  });

  it('does not touch the room that WebAssembly needs', () => {
    const spare = floats(63, 3);
    const sizes = { rowA: 7, rowB: 9, time: 2, batch: 300, m: 7, n: 9 };
    const inputs = { a: floats(4200, 1), b: floats(5400, 2), spare };
    expect(call('sumOfProducts', { inputs, outputs: { out: 63 }, values: sizes }).out).toHaveLength(63);
  });
});
