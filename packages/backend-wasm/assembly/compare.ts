// Comparisons, whose results are bytes, and what is chosen by them.
import { floats } from './vector';

// @ts-ignore: decorator
@inline
function apply(code: i32, a: v128, b: v128): v128 {
  switch (code) {
    case 0: return f32x4.gt(a, b);
    case 1: return f32x4.ge(a, b);
    case 2: return f32x4.lt(a, b);
    case 3: return f32x4.le(a, b);
    case 4: return f32x4.eq(a, b);
    default: return f32x4.ne(a, b);
  }
}

// @ts-ignore: decorator
@inline
function read(p: usize, step: i32, shift: usize): v128 {
  return step ? v128.load(p + shift) : v128.load_splat<f32>(p);
}

// @ts-ignore: decorator
@inline
function each(
  code: i32, a: usize, b: usize, out: usize, n0: i32, n1: i32, n2: i32,
  a0: i32, a1: i32, a2: i32, b0: i32, b1: i32, b2: i32,
): void {
  for (let i = 0; i < n0; i++) {
    for (let j = 0; j < n1; j++) {
      let p = a + floats(i * a0 + j * a1), q = b + floats(i * b0 + j * b1), k = 0;
      for (; k + 16 <= n2; k += 16, out += 16) {
        const m0 = apply(code, read(p, a2, 0), read(q, b2, 0)), m1 = apply(code, read(p, a2, 16), read(q, b2, 16));
        const m2 = apply(code, read(p, a2, 32), read(q, b2, 32)), m3 = apply(code, read(p, a2, 48), read(q, b2, 48));
        const bytes = i8x16.narrow_i16x8_s(i16x8.narrow_i32x4_s(m0, m1), i16x8.narrow_i32x4_s(m2, m3));
        v128.store(out, v128.and(bytes, i8x16.splat(1)));
        p += floats(a2 << 4);
        q += floats(b2 << 4);
      }
      for (; k < n2; k++, out++) {
        const mask = apply(code, v128.load_splat<f32>(p), v128.load_splat<f32>(q));
        store<u8>(out, <u8>(i32x4.extract_lane(mask, 0) & 1));
        p += floats(a2);
        q += floats(b2);
      }
    }
  }
}

/** As `binary`, with bytes of 0 and 1 as the result. */
export function compare(
  code: i32, a: usize, b: usize, out: usize, n0: i32, n1: i32, n2: i32,
  a0: i32, a1: i32, a2: i32, b0: i32, b1: i32, b2: i32,
): void {
  switch (code) {
    case 0: return each(0, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 1: return each(1, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 2: return each(2, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 3: return each(3, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    case 4: return each(4, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
    default: return each(5, a, b, out, n0, n1, n2, a0, a1, a2, b0, b1, b2);
  }
}

/** out = condition ? a : b, element by element; elements of 4 bytes. */
export function select(condition: usize, a: usize, b: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, a += 16, b += 16, out += 16) {
    const bytes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(condition + <usize>i)));
    v128.store(out, v128.bitselect(v128.load(a), v128.load(b), i32x4.ne(bytes, i32x4.splat(0))));
  }
  for (; i < n; i++, a += 4, b += 4, out += 4) {
    store<u32>(out, load<u8>(condition + <usize>i) ? load<u32>(a) : load<u32>(b));
  }
}

/** Bytes of 0 and 1 as floats. */
export function floatsOfBytes(x: usize, out: usize, n: i32): void {
  for (let i = 0; i < n; i++, out += 4) store<f32>(out, <f32>load<u8>(x + <usize>i));
}

export function floatsOfInts(x: usize, out: usize, n: i32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, x += 16, out += 16) v128.store(out, f32x4.convert_i32x4_s(v128.load(x)));
  for (; i < n; i++, x += 4, out += 4) store<f32>(out, <f32>load<i32>(x));
}

/** 1 for whatever is not zero, NaN included. The sign of a float zero does not count. */
export function bytesOfFloats(x: usize, out: usize, n: i32): void {
  for (let i = 0; i < n; i++, x += 4) store<u8>(out + <usize>i, load<f32>(x) != 0 ? 1 : 0);
}

export function bytesOfInts(x: usize, out: usize, n: i32): void {
  for (let i = 0; i < n; i++, x += 4) store<u8>(out + <usize>i, load<i32>(x) != 0 ? 1 : 0);
}
