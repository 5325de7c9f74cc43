// Functions of four floats at a time, to one or two units in the last place. The polynomials are those of Cephes.
// Mathf of AssemblyScript cannot be used: its tables would be a data segment on top of the backend's memory.
import {
  constants, EXP_0, EXP_1, EXP_2, EXP_3, EXP_4, EXP_5, EXP_HIGHEST, EXP_LOWEST, EXP_OF_TANH, EXPONENT, LN2_HIGH, LN2_LOW,
  LOG2_E, ONE, ROUNDER, SIGN, TANH_0, TANH_1, TANH_2, TANH_3, TANH_4, TANH_NEAR,
} from './constants';
import { madd, splat } from './vector';

/** Infinity, zero, subnormal results and NaN come out as in JavaScript. */
// @ts-ignore: decorator
@inline
export function expOf(x: v128): v128 {
  const k = constants;
  // In this order pmax and pmin keep NaN, and are one instruction each, where max and min are six.
  const within = f32x4.pmin(f32x4.pmax(x, v128.load(k, EXP_LOWEST)), v128.load(k, EXP_HIGHEST));
  const shifted = roundedPower(within, k), power = i32x4.sub(shifted, v128.load(k, ROUNDER));
  // The power of two in two factors: it may lie outside of what one float can hold.
  const half = i32x4.shr_s(power, 1), bias = v128.load(k, EXPONENT);
  const low = i32x4.shl(i32x4.add(half, bias), 23), high = i32x4.shl(i32x4.add(i32x4.sub(power, half), bias), 23);
  return f32x4.mul(f32x4.mul(expOfRest(within, shifted, k), low), high);
}

/** For x from 0 on; no more than exp(40), which tanh cannot tell from infinity. */
// @ts-ignore: decorator
@inline
function expUpTo40(x: v128): v128 {
  const k = constants;
  const within = f32x4.pmin(x, v128.load(k, EXP_OF_TANH)), shifted = roundedPower(within, k);
  const power = i32x4.add(i32x4.sub(shifted, v128.load(k, ROUNDER)), v128.load(k, EXPONENT));
  return f32x4.mul(expOfRest(within, shifted, k), i32x4.shl(power, 23));
}

/** ROUNDER plus n, where exp(x) is 2^n times a number near 1. */
// @ts-ignore: decorator
@inline
function roundedPower(x: v128, k: usize): v128 {
  return madd(x, v128.load(k, LOG2_E), v128.load(k, ROUNDER));
}

/** That number. */
// @ts-ignore: decorator
@inline
function expOfRest(x: v128, shifted: v128, k: usize): v128 {
  const n = f32x4.sub(shifted, v128.load(k, ROUNDER));
  const r = madd(n, v128.load(k, LN2_LOW), f32x4.sub(x, f32x4.mul(n, v128.load(k, LN2_HIGH))));
  let p = madd(v128.load(k, EXP_5), r, v128.load(k, EXP_4));
  p = madd(p, r, v128.load(k, EXP_3));
  p = madd(p, r, v128.load(k, EXP_2));
  p = madd(p, r, v128.load(k, EXP_1));
  p = madd(p, r, v128.load(k, EXP_0));
  return f32x4.add(madd(p, f32x4.mul(r, r), r), v128.load(k, ONE));
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
  const one = v128.load(constants, ONE);
  return f32x4.div(one, f32x4.add(one, expOf(f32x4.neg(x))));
}

// @ts-ignore: decorator
@inline
export function tanhOf(x: v128): v128 {
  const k = constants, one = v128.load(k, ONE), size = f32x4.abs(x), z = f32x4.mul(x, x);
  let p = madd(v128.load(k, TANH_4), z, v128.load(k, TANH_3));
  p = madd(p, z, v128.load(k, TANH_2));
  p = madd(p, z, v128.load(k, TANH_1));
  p = madd(p, z, v128.load(k, TANH_0));
  const near = madd(f32x4.mul(p, z), x, x);
  const rest = f32x4.div(f32x4.add(one, one), f32x4.add(expUpTo40(f32x4.add(size, size)), one));
  const signed = v128.or(f32x4.sub(one, rest), v128.and(x, v128.load(k, SIGN)));
  return v128.bitselect(near, signed, f32x4.lt(size, v128.load(k, TANH_NEAR)));
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
