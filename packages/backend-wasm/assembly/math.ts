// Functions of four floats at a time, to one or two units in the last place. The polynomials are those of Cephes.
// Mathf of AssemblyScript is no choice: its tables would be a data segment on top of the backend's memory.
import { splat } from './vector';

/** Infinity, zero, subnormal results and NaN come out as in JavaScript. */
// @ts-ignore: decorator
@inline
export function expOf(x: v128): v128 {
  const within = f32x4.min(f32x4.max(x, splat(-104)), splat(89));
  const n = f32x4.nearest(f32x4.mul(within, splat(1.44269504088896341)));
  let r = f32x4.sub(within, f32x4.mul(n, splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, splat(2.1219444e-4)));
  let p = splat(1.98756915e-4);
  p = f32x4.add(f32x4.mul(p, r), splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r), splat(1));
  // The power of two in two factors: it may lie outside of what one float can hold.
  const power = i32x4.trunc_sat_f32x4_s(n), half = i32x4.shr_s(power, 1);
  return f32x4.mul(f32x4.mul(p, powerOfTwo(half)), powerOfTwo(i32x4.sub(power, half)));
}

// @ts-ignore: decorator
@inline
function powerOfTwo(n: v128): v128 {
  return i32x4.shl(i32x4.add(n, i32x4.splat(127)), 23);
}

/** -Infinity for zero, NaN below it. */
// @ts-ignore: decorator
@inline
export function logOf(x: v128): v128 {
  const subnormal = f32x4.lt(x, splat(1.17549435e-38));
  const scaled = v128.bitselect(f32x4.mul(x, splat(8388608)), x, subnormal);
  const bits = scaled;
  let e = f32x4.convert_i32x4_s(i32x4.sub(i32x4.shr_u(bits, 23), i32x4.splat(126)));
  e = f32x4.sub(e, v128.and(subnormal, splat(23)));
  let m = v128.or(v128.and(bits, i32x4.splat(0x7fffff)), i32x4.splat(0x3f000000));
  const low = f32x4.lt(m, splat(0.707106781186547524));
  e = f32x4.sub(e, v128.and(low, splat(1)));
  m = f32x4.sub(f32x4.add(m, v128.and(low, m)), splat(1));
  const z = f32x4.mul(m, m);
  let y = splat(7.0376836292e-2);
  y = f32x4.sub(f32x4.mul(y, m), splat(1.151461031e-1));
  y = f32x4.add(f32x4.mul(y, m), splat(1.167699874e-1));
  y = f32x4.sub(f32x4.mul(y, m), splat(1.2420140846e-1));
  y = f32x4.add(f32x4.mul(y, m), splat(1.4249322787e-1));
  y = f32x4.sub(f32x4.mul(y, m), splat(1.6668057665e-1));
  y = f32x4.add(f32x4.mul(y, m), splat(2.0000714765e-1));
  y = f32x4.sub(f32x4.mul(y, m), splat(2.4999993993e-1));
  y = f32x4.add(f32x4.mul(y, m), splat(3.3333331174e-1));
  y = f32x4.mul(f32x4.mul(y, m), z);
  y = f32x4.sub(y, f32x4.mul(e, splat(2.1219444e-4)));
  y = f32x4.sub(y, f32x4.mul(z, splat(0.5)));
  let result = f32x4.add(f32x4.add(m, y), f32x4.mul(e, splat(0.693359375)));
  result = v128.bitselect(splat(-Infinity), result, f32x4.eq(x, splat(0)));
  result = v128.bitselect(splat(NaN), result, f32x4.lt(x, splat(0)));
  // Infinity and NaN stay what they are.
  return v128.bitselect(result, x, f32x4.lt(x, splat(Infinity)));
}

// @ts-ignore: decorator
@inline
export function sigmoidOf(x: v128): v128 {
  return f32x4.div(splat(1), f32x4.add(splat(1), expOf(f32x4.neg(x))));
}

// @ts-ignore: decorator
@inline
export function tanhOf(x: v128): v128 {
  const size = f32x4.abs(x), z = f32x4.mul(x, x);
  let p = splat(-5.70498872745e-3);
  p = f32x4.add(f32x4.mul(p, z), splat(2.06390887954e-2));
  p = f32x4.sub(f32x4.mul(p, z), splat(5.37397155531e-2));
  p = f32x4.add(f32x4.mul(p, z), splat(1.33314422036e-1));
  p = f32x4.sub(f32x4.mul(p, z), splat(3.33332819422e-1));
  const near = f32x4.add(f32x4.mul(f32x4.mul(p, z), x), x);
  const far = f32x4.sub(splat(1), f32x4.div(splat(2), f32x4.add(expOf(f32x4.add(size, size)), splat(1))));
  const signed = v128.or(far, v128.and(x, i32x4.splat(0x80000000)));
  return v128.bitselect(near, signed, f32x4.lt(size, splat(0.625)));
}

/** log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)). */
// @ts-ignore: decorator
@inline
export function softplusOf(x: v128): v128 {
  return f32x4.add(f32x4.max(x, splat(0)), log1pOf(expOf(f32x4.neg(f32x4.abs(x)))));
}

/** log(1 + x) for x from 0 to 1: what the sum loses of x is put back. */
// @ts-ignore: decorator
@inline
export function log1pOf(x: v128): v128 {
  const u = f32x4.add(x, splat(1));
  const lost = f32x4.sub(x, f32x4.sub(u, splat(1)));
  return f32x4.add(logOf(u), f32x4.div(lost, u));
}

/** exp(x) - 1, exact near zero. */
// @ts-ignore: decorator
@inline
export function expm1Of(x: v128): v128 {
  let p = splat(1.98412698e-4);
  p = f32x4.add(f32x4.mul(p, x), splat(1.3888889e-3));
  p = f32x4.add(f32x4.mul(p, x), splat(8.3333333e-3));
  p = f32x4.add(f32x4.mul(p, x), splat(4.1666668e-2));
  p = f32x4.add(f32x4.mul(p, x), splat(1.6666667e-1));
  p = f32x4.add(f32x4.mul(p, x), splat(0.5));
  const near = f32x4.add(f32x4.mul(p, f32x4.mul(x, x)), x);
  return v128.bitselect(near, f32x4.sub(expOf(x), splat(1)), f32x4.lt(f32x4.abs(x), splat(0.4)));
}

// @ts-ignore: decorator
@inline
export function expOfOne(x: f32): f32 {
  return f32x4.extract_lane(expOf(splat(x)), 0);
}

// @ts-ignore: decorator
@inline
export function logOfOne(x: f32): f32 {
  return f32x4.extract_lane(logOf(splat(x)), 0);
}
