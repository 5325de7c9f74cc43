// The end of every product: a tile of 4 x 8 or 3 x 12 sums becomes part of the result.
//
// What keeps V8's register allocator happy, measured: at most 9 vector sums in a loop, no unrolling over the depth,
// and for 8 sums this code in the same function as the loop, hence inlined; with 9 there is no room for it. 10 sums, or
// two steps at a time, halve the speed.
import { floats, reluOf, reluOfOne } from './vector';
import { tile } from './workspace';

/** Writes the tile: all of it, or `rowCount` x `columnCount` at the edge of the result. */
// @ts-ignore: decorator
@inline
export function finishTile(
  c00: v128, c01: v128, c10: v128, c11: v128, c20: v128, c21: v128, c30: v128, c31: v128,
  out: usize, row: usize, rowCount: i32, columnCount: i32, add: bool, bias: usize, relu: bool,
): void {
  if (rowCount < 4 || columnCount < 8) {
    v128.store(tile, c00); v128.store(tile, c01, 16); v128.store(tile, c10, 32); v128.store(tile, c11, 48);
    v128.store(tile, c20, 64); v128.store(tile, c21, 80); v128.store(tile, c30, 96); v128.store(tile, c31, 112);
    finishEdge(8, out, row, rowCount, columnCount, add, bias, relu);
    return;
  }
  const out1 = out + row, out2 = out1 + row, out3 = out2 + row;
  if (add) {
    c00 = f32x4.add(c00, v128.load(out)); c01 = f32x4.add(c01, v128.load(out, 16));
    c10 = f32x4.add(c10, v128.load(out1)); c11 = f32x4.add(c11, v128.load(out1, 16));
    c20 = f32x4.add(c20, v128.load(out2)); c21 = f32x4.add(c21, v128.load(out2, 16));
    c30 = f32x4.add(c30, v128.load(out3)); c31 = f32x4.add(c31, v128.load(out3, 16));
  }
  if (bias) {
    const low = v128.load(bias), high = v128.load(bias, 16);
    c00 = f32x4.add(c00, low); c01 = f32x4.add(c01, high); c10 = f32x4.add(c10, low); c11 = f32x4.add(c11, high);
    c20 = f32x4.add(c20, low); c21 = f32x4.add(c21, high); c30 = f32x4.add(c30, low); c31 = f32x4.add(c31, high);
  }
  if (relu) {
    c00 = reluOf(c00); c01 = reluOf(c01); c10 = reluOf(c10); c11 = reluOf(c11);
    c20 = reluOf(c20); c21 = reluOf(c21); c30 = reluOf(c30); c31 = reluOf(c31);
  }
  v128.store(out, c00); v128.store(out, c01, 16); v128.store(out1, c10); v128.store(out1, c11, 16);
  v128.store(out2, c20); v128.store(out2, c21, 16); v128.store(out3, c30); v128.store(out3, c31, 16);
}

/** Writes the 3 x 12 sums that are in `tile`; their bias and activation are left to finishRows. */
export function finishWideTile(out: usize, row: usize, rowCount: i32, columnCount: i32, add: bool): void {
  if (rowCount < 3 || columnCount < 12) return finishEdge(12, out, row, rowCount, columnCount, add, 0, false);
  for (let i = 0, from = tile; i < 3; i++, from += 48, out += row) {
    let c0 = v128.load(from), c1 = v128.load(from, 16), c2 = v128.load(from, 32);
    if (add) {
      c0 = f32x4.add(c0, v128.load(out));
      c1 = f32x4.add(c1, v128.load(out, 16));
      c2 = f32x4.add(c2, v128.load(out, 32));
    }
    v128.store(out, c0);
    v128.store(out, c1, 16);
    v128.store(out, c2, 32);
  }
}

/** Bias and activation of a block of the result: a second pass over what is in the cache takes less than a longer tile. */
export function finishRows(out: usize, row: usize, height: i32, width: i32, bias: usize, relu: bool): void {
  for (let r = 0; r < height; r++, out += row) {
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      let v = v128.load(out + floats(c));
      if (bias) v = f32x4.add(v, v128.load(bias + floats(c)));
      v128.store(out + floats(c), relu ? reluOf(v) : v);
    }
    for (; c < width; c++) {
      let v = load<f32>(out + floats(c));
      if (bias) v += load<f32>(bias + floats(c));
      store<f32>(out + floats(c), relu ? reluOfOne(v) : v);
    }
  }
}

/** `width` is that of the tile. */
function finishEdge(
  width: i32, out: usize, row: usize, rowCount: i32, columnCount: i32, add: bool, bias: usize, relu: bool,
): void {
  for (let i = 0; i < rowCount; i++) {
    for (let j = 0; j < columnCount; j++) {
      let value = load<f32>(tile + floats(i * width + j));
      if (add) value += load<f32>(out + floats(j));
      if (bias) value += load<f32>(bias + floats(j));
      if (relu) value = reluOfOne(value);
      store<f32>(out + floats(j), value);
    }
    out += row;
  }
}
