// What there is to know about the numbers of a tensor, as doubles: squares of gradients that vanish or explode do not fit
// a float. Several sums side by side, so that an addition seldom waits for the one before it; native kernels have as many.
import { splat } from './vector';

/** Writes the sum of squares, a double: not finite where a value is not. */
export function sumOfSquares(x: usize, n: i32, out: usize): void {
  const none = f64x2.splat(0);
  let a = none, b = none, c = none, d = none, e = none, f = none, g = none, h = none, i = 0;
  for (; i + 16 <= n; i += 16, x += 64) {
    a = withSquare(a, doubles(x));
    b = withSquare(b, doubles(x + 8));
    c = withSquare(c, doubles(x + 16));
    d = withSquare(d, doubles(x + 24));
    e = withSquare(e, doubles(x + 32));
    f = withSquare(f, doubles(x + 40));
    g = withSquare(g, doubles(x + 48));
    h = withSquare(h, doubles(x + 56));
  }
  let total = totalOf(f64x2.add(a, e), f64x2.add(b, f), f64x2.add(c, g), f64x2.add(d, h));
  for (; i < n; i++, x += 4) total += <f64>load<f32>(x) * <f64>load<f32>(x);
  store<f64>(out, total);
}

/** Whether every value is finite: without its sign, the bits of such a number are below those of infinity. */
export function allFinite(x: usize, n: i32): bool {
  const magnitude = i32x4.splat(0x7fffffff);
  let largest0 = i32x4.splat(0), largest1 = largest0, i = 0;
  for (; i + 8 <= n; i += 8, x += 32) {
    largest0 = i32x4.max_u(largest0, v128.and(v128.load(x), magnitude));
    largest1 = i32x4.max_u(largest1, v128.and(v128.load(x, 16), magnitude));
  }
  const infinity = i32x4.splat(0x7f800000);
  if (v128.any_true(i32x4.ge_u(i32x4.max_u(largest0, largest1), infinity))) return false;
  for (; i < n; i++, x += 4) if (!isFinite<f32>(load<f32>(x))) return false;
  return true;
}

/**
 * Writes seven doubles: the sum of all squares; how many values are finite; how many are 0; then of the finite ones the
 * smallest, the largest, their sum, and the sum of the squares of their differences from the mean.
 */
export function statistics(x: usize, n: i32, out: usize): void {
  all(x, n, out);
  const squares = load<f64>(out);
  // Squares of floats do not overflow a double: their sum is finite when all values are, and mostly they are.
  if (!isFinite<f64>(squares)) finiteOnes(x, n, out);
  store<f64>(out, deviations(x, n, load<f64>(out), load<f64>(out, 40), load<f64>(out, 8)), 48);
  store<f64>(out, squares);
}

/** Writes two doubles: the sum of squares before, and the sum of squares of what has changed since. */
export function movement(before: usize, after: usize, n: i32, out: usize): void {
  const none = f64x2.splat(0);
  let a = none, b = none, c = none, d = none, e = none, f = none, g = none, h = none, i = 0;
  for (; i + 8 <= n; i += 8, before += 32, after += 32) {
    const p = doubles(before), q = doubles(before + 8), r = doubles(before + 16), s = doubles(before + 24);
    a = withSquare(a, p);
    b = withSquare(b, q);
    c = withSquare(c, r);
    d = withSquare(d, s);
    e = withSquare(e, f64x2.sub(doubles(after), p));
    f = withSquare(f, f64x2.sub(doubles(after + 8), q));
    g = withSquare(g, f64x2.sub(doubles(after + 16), r));
    h = withSquare(h, f64x2.sub(doubles(after + 24), s));
  }
  let squares = totalOf(a, b, c, d), change = totalOf(e, f, g, h);
  for (; i < n; i++, before += 4, after += 4) {
    const old = <f64>load<f32>(before), way = <f64>load<f32>(after) - old;
    squares += old * old;
    change += way * way;
  }
  store<f64>(out, squares);
  store<f64>(out, change, 8);
}

/** The first six of the statistics, where all values are finite. */
function all(x: usize, n: i32, out: usize): void {
  const none = f64x2.splat(0);
  let a = none, b = none, c = none, d = none, e = none, f = none, g = none, h = none, i = 0;
  // A mask, as an integer, is -1: it counts downwards.
  let least = splat(Infinity), most = splat(-Infinity), zeros = i32x4.splat(0);
  for (; i + 8 <= n; i += 8, x += 32) {
    const v = v128.load(x), w = v128.load(x, 16);
    least = f32x4.pmin(least, f32x4.pmin(v, w));
    most = f32x4.pmax(most, f32x4.pmax(v, w));
    zeros = i32x4.add(zeros, i32x4.add(f32x4.eq(v, splat(0)), f32x4.eq(w, splat(0))));
    const p = doubles(x), q = doubles(x + 8), r = doubles(x + 16), s = doubles(x + 24);
    a = withSquare(a, p);
    b = withSquare(b, q);
    c = withSquare(c, r);
    d = withSquare(d, s);
    e = f64x2.add(e, p);
    f = f64x2.add(f, q);
    g = f64x2.add(g, r);
    h = f64x2.add(h, s);
  }
  start(out, totalOf(a, b, c, d), totalOf(e, f, g, h));
  note(out, leastLane(least), -leastLane(f32x4.neg(most)), i, -laneSum(zeros));
  for (; i < n; i++, x += 4) add(out, load<f32>(x));
}

/** The same of those values that are finite: seldom, and one by one. */
function finiteOnes(x: usize, n: i32, out: usize): void {
  start(out, 0, 0);
  for (let i = 0; i < n; i++, x += 4) if (isFinite<f32>(load<f32>(x))) add(out, load<f32>(x));
}

/** All arguments are about the finite values. */
function deviations(x: usize, n: i32, squares: f64, sum: f64, finite: f64): f64 {
  if (finite == 0) return 0;
  const mean = sum / finite, rest = squares - mean * sum;
  // What sums tell is enough, unless the two almost cancel out: the values lie close together and far from zero.
  if (rest > squares * 0.01) return rest;
  let total: f64 = 0;
  for (let i = 0; i < n; i++, x += 4) {
    const value = load<f32>(x), away = <f64>value - mean;
    if (isFinite<f32>(value)) total += away * away;
  }
  return total;
}

function start(out: usize, squares: f64, sum: f64): void {
  store<f64>(out, squares);
  store<f64>(out, 0, 8);
  store<f64>(out, 0, 16);
  store<f64>(out, Infinity, 24);
  store<f64>(out, -Infinity, 32);
  store<f64>(out, sum, 40);
}

function add(out: usize, value: f32): void {
  store<f64>(out, load<f64>(out) + <f64>value * <f64>value);
  store<f64>(out, load<f64>(out, 40) + <f64>value, 40);
  note(out, value, value, 1, i32(value == 0));
}

/** Of two zeros either may be the smallest: what is written has no sign. */
function note(out: usize, least: f32, most: f32, finite: i32, zeros: i32): void {
  store<f64>(out, load<f64>(out, 8) + <f64>finite, 8);
  store<f64>(out, load<f64>(out, 16) + <f64>zeros, 16);
  store<f64>(out, min<f64>(load<f64>(out, 24), <f64>least) + 0, 24);
  store<f64>(out, max<f64>(load<f64>(out, 32), <f64>most) + 0, 32);
}

/** Two floats from memory. To load them once more is faster than to move them to the lower half of a vector. */
// @ts-ignore: decorator
@inline
function doubles(x: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(x));
}

/** The square of a float is exact as a double: with FMA and without, sums of them are the same. */
// @ts-ignore: decorator
@inline
function withSquare(sum: v128, v: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(v, v, sum);
  return f64x2.add(sum, f64x2.mul(v, v));
}

// @ts-ignore: decorator
@inline
function totalOf(a: v128, b: v128, c: v128, d: v128): f64 {
  const both = f64x2.add(f64x2.add(a, c), f64x2.add(b, d));
  return f64x2.extract_lane(both, 0) + f64x2.extract_lane(both, 1);
}

// @ts-ignore: decorator
@inline
function laneSum(v: v128): i32 {
  return (
    i32x4.extract_lane(v, 0) + i32x4.extract_lane(v, 1) + (i32x4.extract_lane(v, 2) + i32x4.extract_lane(v, 3))
  );
}

// @ts-ignore: decorator
@inline
function leastLane(v: v128): f32 {
  const a = min<f32>(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1));
  return min<f32>(a, min<f32>(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}
