// Sums, means, extremes and products over the middle axis of [outer, count, inner]. Always in the same order, so
// that the same numbers give the same result, and in blocks, so that the error of a long sum stays small.
import { floats, rows, smaller, splat, sumOf } from './vector';

const BLOCK: i32 = 128;

/** out[outer, inner] = factor * sum over count. */
export function sum(x: usize, out: usize, outer: i32, count: i32, inner: i32, factor: f32): void {
  for (let i = 0; i < outer; i++) {
    if (inner == 1) {
      store<f32>(out, <f32>(sumOfRow(x, count) * <f64>factor));
    } else {
      sumColumns(x, out, count, inner);
      if (factor != 1) scale(out, inner, factor);
    }
    x += rows(count, floats(inner));
    out += floats(inner);
  }
}

/** Partial sums of 512 floats, which are added as doubles. */
export function sumOfRow(x: usize, count: i32): f64 {
  let total: f64 = 0;
  for (let c0 = 0; c0 < count; c0 += 512) {
    const end = smaller(count, c0 + 512);
    let s0 = splat(0), s1 = splat(0), c = c0;
    for (; c + 8 <= end; c += 8, x += 32) {
      s0 = f32x4.add(s0, v128.load(x));
      s1 = f32x4.add(s1, v128.load(x, 16));
    }
    for (; c < end; c++, x += 4) total += <f64>load<f32>(x);
    total += <f64>sumOf(f32x4.add(s0, s1));
  }
  return total;
}

/** Sums of the columns of [count, inner]. */
export function sumColumns(x: usize, out: usize, count: i32, inner: i32): void {
  const row = floats(inner);
  memory.fill(out, 0, row);
  for (let r0 = 0; r0 < count; r0 += BLOCK) {
    const height = smaller(BLOCK, count - r0);
    let c = 0;
    for (; c + 16 <= inner; c += 16) {
      let s0 = splat(0), s1 = splat(0), s2 = splat(0), s3 = splat(0), p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < height; r++, p += row) {
        s0 = f32x4.add(s0, v128.load(p));
        s1 = f32x4.add(s1, v128.load(p, 16));
        s2 = f32x4.add(s2, v128.load(p, 32));
        s3 = f32x4.add(s3, v128.load(p, 48));
      }
      const to = out + floats(c);
      v128.store(to, f32x4.add(v128.load(to), s0));
      v128.store(to, f32x4.add(v128.load(to, 16), s1), 16);
      v128.store(to, f32x4.add(v128.load(to, 32), s2), 32);
      v128.store(to, f32x4.add(v128.load(to, 48), s3), 48);
    }
    for (; c + 4 <= inner; c += 4) {
      let s = splat(0), p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < height; r++, p += row) s = f32x4.add(s, v128.load(p));
      v128.store(out + floats(c), f32x4.add(v128.load(out + floats(c)), s));
    }
    for (; c < inner; c++) {
      let s: f32 = 0, p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < height; r++, p += row) s += load<f32>(p);
      store<f32>(out + floats(c), load<f32>(out + floats(c)) + s);
    }
  }
}

function scale(x: usize, n: i32, factor: f32): void {
  for (let i = 0; i < n; i++, x += 4) store<f32>(x, load<f32>(x) * factor);
}

// @ts-ignore: decorator
@inline
function join(code: i32, a: v128, b: v128): v128 {
  return code == 0 ? f32x4.max(a, b) : code == 1 ? f32x4.min(a, b) : f32x4.mul(a, b);
}

// @ts-ignore: decorator
@inline
function joinOne(code: i32, a: f32, b: f32): f32 {
  return code == 0 ? max<f32>(a, b) : code == 1 ? min<f32>(a, b) : a * b;
}

// @ts-ignore: decorator
@inline
function each(code: i32, x: usize, out: usize, outer: i32, count: i32, inner: i32): void {
  const row = floats(inner), start: f32 = code == 0 ? -Infinity : code == 1 ? Infinity : 1;
  for (let i = 0; i < outer; i++) {
    if (inner == 1) {
      let v = splat(start), s = start, c = 0, p = x;
      for (; c + 4 <= count; c += 4, p += 16) v = join(code, v, v128.load(p));
      for (; c < count; c++, p += 4) s = joinOne(code, s, load<f32>(p));
      const low = joinOne(code, f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1));
      const high = joinOne(code, f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3));
      store<f32>(out, joinOne(code, joinOne(code, low, high), s));
    } else {
      let c = 0;
      for (; c + 4 <= inner; c += 4) {
        let v = splat(start), p = x + floats(c);
        for (let r = 0; r < count; r++, p += row) v = join(code, v, v128.load(p));
        v128.store(out + floats(c), v);
      }
      for (; c < inner; c++) {
        let s = start, p = x + floats(c);
        for (let r = 0; r < count; r++, p += row) s = joinOne(code, s, load<f32>(p));
        store<f32>(out + floats(c), s);
      }
    }
    x += rows(count, row);
    out += row;
  }
}

/** 0: largest, 1: smallest, 2: product. NaN wins over everything. */
export function reduce(code: i32, x: usize, out: usize, outer: i32, count: i32, inner: i32): void {
  switch (code) {
    case 0: return each(0, x, out, outer, count, inner);
    case 1: return each(1, x, out, outer, count, inner);
    default: return each(2, x, out, outer, count, inner);
  }
}
