import { LINE_FLOATS, ranges, type Splitter, shares } from './split.js';
import type { Call } from './team.js';

/** For a multiplication and its addition. */
const NANOSECONDS = 1 / 20;

/** matMul: the matrices of a batch are shared out, or, where they are few, parts of each. */
export const splitMatMul: Splitter = {
  cost: { units: [5, 6, 7, 10], nanoseconds: NANOSECONDS },
  split: (args, threads) => {
    const [a, transposeA, b, transposeB, out, m, n, k, bias, relu, batch, batchA, batchB] = args as Thirteen;
    if (batch >= threads * 2) {
      const calls = shares(batch, threads).map(({ first, count }) => {
        const [fromA, fromB, to] = [a + first * batchA * 4, b + first * batchB * 4, out + first * m * n * 4];
        return [fromA, transposeA, fromB, transposeB, to, m, n, k, bias, relu, count, batchA, batchB];
      });
      return { name: 'matMul', calls };
    }
    const [rowA, rowB] = [transposeA ? m : k, transposeB ? k : n];
    const pieces = batch === 1 ? threads : Math.ceil((threads * 2) / batch);
    const calls: Call[] = [];
    for (let i = 0; i < batch; i++) {
      const [fromA, fromB, to] = [a + i * batchA * 4, b + i * batchB * 4, out + i * m * n * 4];
      calls.push(
        ...cut([fromA, rowA, transposeA, fromB, rowB, transposeB, to, m, n, k, bias, relu, 0], pieces),
      );
    }
    return { name: 'productPart', calls };
  },
};

/** product: rows of the result are shared out, or columns. */
export const splitProduct: Splitter = {
  cost: { units: [7, 8, 9], nanoseconds: NANOSECONDS },
  split: (args, threads) => ({ name: 'productPart', calls: cut(args as Thirteen, threads) }),
};

/**
 * Every part packs the whole of one operand, so the longer side of the result is cut, and into as few parts as there
 * are threads.
 */
function cut(args: Thirteen, pieces: number): Call[] {
  const [a, rowA, transposeA, b, rowB, transposeB, out, m, n, k, bias, relu, add] = args;
  if (m >= n) {
    return ranges(m, pieces, 4).map(({ first, count }) => {
      const from = a + first * (transposeA ? 1 : rowA) * 4;
      // biome-ignore format: the order of productPart.
      return [from, rowA, transposeA, b, rowB, transposeB, out + first * n * 4, n, count, n, k, bias, relu, add];
    });
  }
  return ranges(n, pieces, LINE_FLOATS).map(({ first, count }) => {
    const from = b + first * (transposeB ? rowB : 1) * 4;
    const partBias = bias && bias + first * 4;
    // biome-ignore format: the order of productPart.
    return [a, rowA, transposeA, from, rowB, transposeB, out + first * 4, n, m, count, k, partBias, relu, add];
  });
}

// biome-ignore format: one line.
type Thirteen = [number, number, number, number, number, number, number, number, number, number, number, number, number];
