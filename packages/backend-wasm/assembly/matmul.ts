// Products of matrices. Blocks of the right operand are packed into panels first, so that a transpose is only another
// way of packing; the left one is read where it lies, or, transposed, from a block of rows.
import { packColumns, packRows, packTransposed } from './pack';
import { finishRows, finishTile, finishWideTile } from './tile';
import { floats, larger, madd, rows, smaller, splat } from './vector';
import { BLOCK_K, BLOCK_M, BLOCK_N, packedA, packedB, SPARE, tile } from './workspace';

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
  productPart(a, rowA, transposeA, b, rowB, transposeB, out, n, m, n, k, bias, relu, add);
}

/** A part of a product: some of its rows, or of its columns, in a result whose rows have `rowOut` floats. */
export function productPart(
  a: usize, rowA: i32, transposeA: bool, b: usize, rowB: i32, transposeB: bool, out: usize, rowOut: i32,
  m: i32, n: i32, k: i32, bias: usize, relu: bool, add: bool,
): void {
  for (let n0 = 0; n0 < n; n0 += BLOCK_N) {
    const columns = smaller(BLOCK_N, n - n0);
    for (let k0 = 0; k0 < k; k0 += BLOCK_K) {
      const depth = smaller(BLOCK_K, k - k0);
      packBlock(b, floats(rowB), transposeB, n0, columns, k0, depth, packedB);
      multiplyBlock(a, rowA, transposeA, packedB, out, rowOut, m, n0, columns, k, k0, depth, bias, relu, add);
    }
  }
}

/** Packs a right operand, for any number of products with it. It takes room for up to 7 columns more. */
export function packMatrix(b: usize, rowB: i32, transposeB: bool, n: i32, k: i32, to: usize): void {
  for (let n0 = 0; n0 < n; n0 += BLOCK_N) {
    const columns = smaller(BLOCK_N, n - n0);
    for (let k0 = 0; k0 < k; k0 += BLOCK_K) {
      const depth = smaller(BLOCK_K, k - k0);
      packBlock(b, floats(rowB), transposeB, n0, columns, k0, depth, to);
      to += floats(paddedWidth(columns) * depth);
    }
  }
}

/** out[m, n] = a b, or plus that with `add`, where `packed` is b as packMatrix has left it. */
export function packedProduct(
  a: usize, rowA: i32, packed: usize, out: usize, m: i32, n: i32, k: i32, add: bool,
): void {
  for (let n0 = 0; n0 < n; n0 += BLOCK_N) {
    const columns = smaller(BLOCK_N, n - n0);
    for (let k0 = 0; k0 < k; k0 += BLOCK_K) {
      const depth = smaller(BLOCK_K, k - k0);
      multiplyBlock(a, rowA, false, packed, out, n, m, n0, columns, k, k0, depth, 0, false, add);
      packed += floats(paddedWidth(columns) * depth);
    }
  }
}

function multiplyBlock(
  a: usize, rowA: i32, transposeA: bool, panels: usize, out: usize, rowOut: i32, m: i32, n0: i32, columns: i32,
  k: i32, k0: i32, depth: i32, bias: usize, relu: bool, add: bool,
): void {
  const stepA = floats(rowA), stepOut = floats(rowOut), isLast = k0 + depth == k, wide = wideColumns(columns);
  const adds = add || k0 > 0, activates = isLast && relu, biases = isLast ? bias : 0;
  // As many rows as leave room for a panel in the first cache, in whole tiles of either kind.
  const block = smaller(BLOCK_M, larger(24, 6144 / depth / 12 * 12));
  for (let m0 = 0; m0 < m; m0 += block) {
    const height = smaller(block, m - m0);
    let left = a + rows(m0, stepA) + floats(k0), apart = stepA;
    if (transposeA) {
      left = packedA;
      apart = floats(depth + SPARE);
      packTransposed(a + rows(k0, stepA) + floats(m0), stepA, depth, height, packedA, apart);
    }
    let to = out + rows(m0, stepOut) + floats(n0), panel = panels, tileBias = biases ? biases + floats(n0) : 0, j = 0;
    for (; j < wide; j += 12, to += 48, panel += floats(12 * depth)) {
      const width = smaller(12, columns - j), whole = width == 12 ? height / 3 : 0;
      if (whole > 0) multiplyWidePanel(left, apart, panel, depth, to, stepOut, whole, adds);
      for (let i = whole * 3; i < height; i += 3) {
        const from = left + rows(i, apart), count = smaller(3, height - i);
        const a1 = count > 1 ? from + apart : from, a2 = count > 2 ? a1 + apart : from;
        multiplyWideTile(from, a1, a2, panel, depth, tile, 48);
        finishWideTile(to + rows(i, stepOut), stepOut, count, width, adds);
      }
    }
    if (biases || activates) {
      finishRows(out + rows(m0, stepOut) + floats(n0), stepOut, height, smaller(wide, columns), tileBias, activates);
      if (tileBias) tileBias += floats(wide);
    }
    for (; j < columns; j += 8, to += 32, panel += floats(8 * depth)) {
      const width = smaller(8, columns - j);
      for (let i = 0; i < height; i += 4) {
        const from = left + rows(i, apart), count = smaller(4, height - i);
        multiplyTile(from, apart, panel, depth, to + rows(i, stepOut), stepOut, count, width, adds, tileBias, activates);
      }
      if (tileBias) tileBias += 32;
    }
  }
}

/** Panels of 12 columns come first; of 8 are as many as it takes to waste no more than 3 columns. */
// @ts-ignore: decorator
@inline
function wideColumns(columns: i32): i32 {
  const quads = (columns + 3) >> 2, rest = quads % 3;
  if (rest == 0) return quads << 2;
  if (rest == 2) return (quads - 2) << 2;
  return quads < 4 ? 0 : (quads - 4) << 2;
}

/** With the columns that are wasted. */
// @ts-ignore: decorator
@inline
function paddedWidth(columns: i32): i32 {
  const wide = wideColumns(columns), rest = columns - wide;
  return rest > 0 ? wide + ((rest + 7) & ~7) : wide;
}

function packBlock(
  b: usize, row: usize, transposed: bool, n0: i32, columns: i32, k0: i32, depth: i32, to: usize,
): void {
  const wide = wideColumns(columns);
  for (let j = 0; j < columns; ) {
    const width = j < wide ? 12 : 8, count = smaller(width, columns - j);
    if (transposed) packColumns(b + rows(n0 + j, row) + floats(k0), row, count, depth, to, width);
    else packRows(b + rows(k0, row) + floats(n0 + j), row, count, depth, to, width);
    to += floats(width * depth);
    j += width;
  }
}

/** A panel of 12 columns times whole tiles of 3 rows. */
function multiplyWidePanel(
  a: usize, apart: usize, panel: usize, depth: i32, out: usize, row: usize, tiles: i32, add: bool,
): void {
  const end = panel + (<usize>depth) * 48, next = 3 * apart, below = 3 * row;
  for (let i = 0; i < tiles; i++, a += next, out += below) {
    const second = a + apart;
    threeRows(a, second, second + apart, 4, panel, 48, end, out, row, 3, add);
  }
}

/** One such tile, wherever its rows are. */
function multiplyWideTile(a: usize, a1: usize, a2: usize, b: usize, depth: i32, out: usize, row: usize): void {
  threeRows(a, a1, a2, 4, b, 48, b + (<usize>depth) * 48, out, row, 3, false);
}

function multiplyTile(
  a: usize, apart: usize, b: usize, depth: i32, out: usize, row: usize, rowCount: i32, columnCount: i32,
  add: bool, bias: usize, relu: bool,
): void {
  let c00 = splat(0), c01 = splat(0), c10 = splat(0), c11 = splat(0);
  let c20 = splat(0), c21 = splat(0), c30 = splat(0), c31 = splat(0);
  const end = b + ((<usize>depth) << 5);
  let a1 = rowCount > 1 ? a + apart : a, a2 = rowCount > 2 ? a1 + apart : a, a3 = rowCount > 3 ? a2 + apart : a;
  do {
    const b0 = v128.load(b), b1 = v128.load(b, 16);
    const x0 = v128.load_splat<f32>(a); c00 = madd(x0, b0, c00); c01 = madd(x0, b1, c01);
    const x1 = v128.load_splat<f32>(a1); c10 = madd(x1, b0, c10); c11 = madd(x1, b1, c11);
    const x2 = v128.load_splat<f32>(a2); c20 = madd(x2, b0, c20); c21 = madd(x2, b1, c21);
    const x3 = v128.load_splat<f32>(a3); c30 = madd(x3, b0, c30); c31 = madd(x3, b1, c31);
    a += 4; a1 += 4; a2 += 4; a3 += 4;
    b += 32;
  } while (b < end);
  finishTile(c00, c01, c10, c11, c20, c21, c30, c31, out, row, rowCount, columnCount, add, bias, relu);
}

/**
 * out[3, n] = the first 3 columns of a[depth, ...], or the `count` that there are, times b[depth, ...]; added to it with
 * `add`. For depths too small for packing to be worth its while; n is a multiple of 12.
 */
export function outerProduct(
  a: usize, rowA: usize, b: usize, rowB: usize, depth: i32, out: usize, rowOut: usize, n: i32, count: i32, add: bool,
): void {
  const second = count > 1 ? a + 4 : a, third = count > 2 ? a + 8 : a;
  for (let j = 0; j < n; j += 12, b += 48, out += 48) {
    threeRows(a, second, third, rowA, b, rowB, b + rows(depth, rowB), out, rowOut, count, add);
  }
}

/**
 * 3 rows times 12 columns: the sums of a[k] b[k], where a goes on by `stepA` bytes and b by `stepB`, up to `end`. Only
 * `count` rows are stored. With an address for each row V8 keeps all of it in registers, and 9 sums hide how long each
 * takes.
 */
// @ts-ignore: decorator
@inline
function threeRows(
  a0: usize, a1: usize, a2: usize, stepA: usize, b: usize, stepB: usize, end: usize,
  out: usize, row: usize, count: i32, add: bool,
): void {
  let c00 = splat(0), c01 = splat(0), c02 = splat(0), c10 = splat(0), c11 = splat(0), c12 = splat(0);
  let c20 = splat(0), c21 = splat(0), c22 = splat(0);
  let p0 = a0, p1 = a1, p2 = a2, q = b;
  do {
    const b0 = v128.load(q), b1 = v128.load(q, 16), b2 = v128.load(q, 32);
    const x0 = v128.load_splat<f32>(p0); c00 = madd(x0, b0, c00); c01 = madd(x0, b1, c01); c02 = madd(x0, b2, c02);
    const x1 = v128.load_splat<f32>(p1); c10 = madd(x1, b0, c10); c11 = madd(x1, b1, c11); c12 = madd(x1, b2, c12);
    const x2 = v128.load_splat<f32>(p2); c20 = madd(x2, b0, c20); c21 = madd(x2, b1, c21); c22 = madd(x2, b2, c22);
    p0 += stepA; p1 += stepA; p2 += stepA;
    q += stepB;
  } while (q < end);
  putRow(out, c00, c01, c02, add);
  if (count > 1) putRow(out + row, c10, c11, c12, add);
  if (count > 2) putRow(out + 2 * row, c20, c21, c22, add);
}

// @ts-ignore: decorator
@inline
function putRow(out: usize, c0: v128, c1: v128, c2: v128, add: bool): void {
  if (add) {
    c0 = f32x4.add(v128.load(out), c0);
    c1 = f32x4.add(v128.load(out, 16), c1);
    c2 = f32x4.add(v128.load(out, 32), c2);
  }
  v128.store(out, c0);
  v128.store(out, c1, 16);
  v128.store(out, c2, 32);
}
