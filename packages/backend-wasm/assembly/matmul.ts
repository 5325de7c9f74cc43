// Products of matrices. Blocks of both operands are packed first, so that a transpose is only another way of packing.
import { packColumns, packRows } from './pack';
import { finishTile } from './tile';
import { floats, madd, rows, smaller, splat } from './vector';
import { BLOCK_K, BLOCK_M, BLOCK_N, packedA, packedB } from './workspace';

/**
 * out[m, n] = a b (+ bias[n]) (relu), for a batch of matrices that lie `batchA` and `batchB` floats apart. `a` is
 * [m, k], or [k, m] when transposed; `b` is [k, n], or [n, k]. The depth k is at least 1.
 */
export function matMul(
  a: usize, transposeA: bool, b: usize, transposeB: bool, out: usize, m: i32, n: i32, k: i32,
  bias: usize, relu: bool, batch: i32, batchA: i32, batchB: i32,
): void {
  for (let i = 0; i < batch; i++) {
    product(a, transposeA ? m : k, transposeA, b, transposeB ? k : n, transposeB, out, m, n, k, bias, relu, false);
    a += floats(batchA);
    b += floats(batchB);
    out += floats(m * n);
  }
}

/** One product; `rowA` and `rowB` are the lengths of rows in floats, and with `add` the result is added to `out`. */
export function product(
  a: usize, rowA: i32, transposeA: bool, b: usize, rowB: i32, transposeB: bool, out: usize,
  m: i32, n: i32, k: i32, bias: usize, relu: bool, add: bool,
): void {
  const stepA = floats(rowA), stepB = floats(rowB), stepOut = floats(n);
  for (let n0 = 0; n0 < n; n0 += BLOCK_N) {
    const columns = smaller(BLOCK_N, n - n0);
    for (let k0 = 0; k0 < k; k0 += BLOCK_K) {
      const depth = smaller(BLOCK_K, k - k0), isLast = k0 + depth == k;
      packBlockB(b, stepB, transposeB, n0, columns, k0, depth);
      for (let m0 = 0; m0 < m; m0 += BLOCK_M) {
        const height = smaller(BLOCK_M, m - m0);
        packBlockA(a, stepA, transposeA, m0, height, k0, depth);
        for (let j = 0; j < columns; j += 8) {
          const panelB = packedB + floats(j * depth), width = smaller(8, columns - j);
          const tileBias = isLast && bias ? bias + floats(n0 + j) : 0;
          for (let i = 0; i < height; i += 4) {
            const to = out + rows(m0 + i, stepOut) + floats(n0 + j);
            multiplyTile(
              packedA + floats(i * depth), panelB, depth, to, stepOut, smaller(4, height - i), width,
              add || k0 > 0, tileBias, isLast && relu,
            );
          }
        }
      }
    }
  }
}

function packBlockA(a: usize, row: usize, transposed: bool, m0: i32, height: i32, k0: i32, depth: i32): void {
  for (let i = 0; i < height; i += 4) {
    const to = packedA + floats(i * depth), count = smaller(4, height - i);
    if (transposed) packRows(a + rows(k0, row) + floats(m0 + i), row, count, depth, to, 4);
    else packColumns(a + rows(m0 + i, row) + floats(k0), row, count, depth, to, 4);
  }
}

function packBlockB(b: usize, row: usize, transposed: bool, n0: i32, columns: i32, k0: i32, depth: i32): void {
  for (let j = 0; j < columns; j += 8) {
    const to = packedB + floats(j * depth), count = smaller(8, columns - j);
    if (transposed) packColumns(b + rows(n0 + j, row) + floats(k0), row, count, depth, to, 8);
    else packRows(b + rows(k0, row) + floats(n0 + j), row, count, depth, to, 8);
  }
}

function multiplyTile(
  a: usize, b: usize, depth: i32, out: usize, row: usize, rowCount: i32, columnCount: i32,
  add: bool, bias: usize, relu: bool,
): void {
  let c00 = splat(0), c01 = splat(0), c10 = splat(0), c11 = splat(0);
  let c20 = splat(0), c21 = splat(0), c30 = splat(0), c31 = splat(0);
  const end = b + ((<usize>depth) << 5);
  do {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    const a0 = v128.load_splat<f32>(a); c00 = madd(a0, b0, c00); c01 = madd(a0, b1, c01);
    const a1 = v128.load_splat<f32>(a, 4); c10 = madd(a1, b0, c10); c11 = madd(a1, b1, c11);
    const a2 = v128.load_splat<f32>(a, 8); c20 = madd(a2, b0, c20); c21 = madd(a2, b1, c21);
    const a3 = v128.load_splat<f32>(a, 12); c30 = madd(a3, b0, c30); c31 = madd(a3, b1, c31);
    a += 16;
    b += 32;
  } while (b < end);
  finishTile(c00, c01, c10, c11, c20, c21, c30, c31, out, row, rowCount, columnCount, add, bias, relu);
}
