// Functions of one operand. The codes are those of src/module/operation-codes.ts.
import { expm1Of, expOf, logOf, sigmoidOf, softplusOf, tanhOf } from './math';
import { reluOf, splat } from './vector';

// @ts-ignore: decorator
@inline
function apply(code: i32, x: v128, a: v128, b: v128): v128 {
  switch (code) {
    case 0: return f32x4.abs(x);
    case 1: return f32x4.neg(x);
    case 2: return f32x4.mul(x, x);
    case 3: return f32x4.sqrt(x);
    case 4: return f32x4.div(splat(1), f32x4.sqrt(x));
    case 5: return f32x4.div(splat(1), x);
    case 6: return expOf(x);
    case 7: return logOf(x);
    case 8: return tanhOf(x);
    case 9: return sigmoidOf(x);
    case 10: return softplusOf(x);
    case 11: return reluOf(x);
    case 12: return f32x4.min(reluOf(x), splat(6));
    // Leaky relu: a is the slope below zero.
    case 13: return v128.bitselect(f32x4.mul(x, a), x, f32x4.lt(x, splat(0)));
    case 14: return v128.bitselect(expm1Of(x), x, f32x4.lt(x, splat(0)));
    // Selu: a is the scale, b the scale times alpha.
    case 15: return v128.bitselect(f32x4.mul(b, expm1Of(x)), f32x4.mul(a, x), f32x4.lt(x, splat(0)));
    // Clip between a and b.
    case 16: return f32x4.min(f32x4.max(x, a), b);
    // Step: a at and below zero, 1 above; NaN stays NaN.
    case 17: return v128.bitselect(x, v128.bitselect(splat(1), a, f32x4.gt(x, splat(0))), f32x4.ne(x, x));
    // Sign: 0 for NaN, as on cpu.
    case 18: return v128.and(v128.or(splat(1), v128.and(x, i32x4.splat(0x80000000))), v128.or(f32x4.gt(x, splat(0)), f32x4.lt(x, splat(0))));
    // x to the power of 0.5, which differs from the root for -0 and -Infinity.
    default: return f32x4.add(f32x4.sqrt(v128.bitselect(splat(Infinity), x, f32x4.eq(x, splat(-Infinity)))), splat(0));
  }
}

// @ts-ignore: decorator
@inline
function each(code: i32, x: usize, out: usize, n: i32, a: f32, b: f32): void {
  const va = splat(a), vb = splat(b);
  let i = 0;
  for (; i + 4 <= n; i += 4, x += 16, out += 16) v128.store(out, apply(code, v128.load(x), va, vb));
  for (; i < n; i++, x += 4, out += 4) {
    store<f32>(out, f32x4.extract_lane(apply(code, v128.load_splat<f32>(x), va, vb), 0));
  }
}

/** out = f(x), which may be the same memory. */
export function unary(code: i32, x: usize, out: usize, n: i32, a: f32, b: f32): void {
  switch (code) {
    case 0: return each(0, x, out, n, a, b);
    case 1: return each(1, x, out, n, a, b);
    case 2: return each(2, x, out, n, a, b);
    case 3: return each(3, x, out, n, a, b);
    case 4: return each(4, x, out, n, a, b);
    case 5: return each(5, x, out, n, a, b);
    case 6: return each(6, x, out, n, a, b);
    case 7: return each(7, x, out, n, a, b);
    case 8: return each(8, x, out, n, a, b);
    case 9: return each(9, x, out, n, a, b);
    case 10: return each(10, x, out, n, a, b);
    case 11: return each(11, x, out, n, a, b);
    case 12: return each(12, x, out, n, a, b);
    case 13: return each(13, x, out, n, a, b);
    case 14: return each(14, x, out, n, a, b);
    case 15: return each(15, x, out, n, a, b);
    case 16: return each(16, x, out, n, a, b);
    case 17: return each(17, x, out, n, a, b);
    case 18: return each(18, x, out, n, a, b);
    default: return each(19, x, out, n, a, b);
  }
}
