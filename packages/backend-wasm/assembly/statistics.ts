// What there is to know about the numbers of a tensor, in one pass and as doubles: squares of gradients that vanish or
// explode do not fit a float.
import { splat } from './vector';

/**
 * Writes seven doubles: the sum of all squares; how many values are finite; how many are 0; then of the finite ones the
 * smallest, the largest, their sum, and the sum of the squares of their differences from the mean.
 */
export function statistics(x: usize, n: i32, out: usize): void {
  pass(x, n, out, false);
  const squares = load<f64>(out);
  // Squares of floats do not overflow a double: the sum is finite when all values are, and mostly they are.
  if (!isFinite<f64>(squares)) pass(x, n, out, true);
  store<f64>(out, deviations(x, n, load<f64>(out), load<f64>(out, 40), load<f64>(out, 8)), 48);
  store<f64>(out, squares);
}

/** The sum of squares: not finite where a value is not. */
export function sumOfSquares(x: usize, n: i32): f64 {
  let sum0 = f64x2.splat(0), sum1 = sum0, i = 0;
  for (; i + 4 <= n; i += 4, x += 16) {
    sum0 = withSquare(sum0, doubles(x));
    sum1 = withSquare(sum1, doubles(x + 8));
  }
  let total = totalOf(sum0, sum1);
  for (; i < n; i++, x += 4) total += <f64>load<f32>(x) * <f64>load<f32>(x);
  return total;
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

/** Writes two doubles: the sum of squares before, and the sum of squares of what has changed since. */
export function movement(before: usize, after: usize, n: i32, out: usize): void {
  const none = f64x2.splat(0);
  let squares0 = none, squares1 = none, change0 = none, change1 = none, i = 0;
  for (; i + 4 <= n; i += 4, before += 16, after += 16) {
    const a = doubles(before), b = doubles(before + 8);
    squares0 = withSquare(squares0, a);
    squares1 = withSquare(squares1, b);
    change0 = withSquare(change0, f64x2.sub(doubles(after), a));
    change1 = withSquare(change1, f64x2.sub(doubles(after + 8), b));
  }
  let squares = totalOf(squares0, squares1), change = totalOf(change0, change1);
  for (; i < n; i++, before += 4, after += 4) {
    const old = <f64>load<f32>(before), moved = <f64>load<f32>(after) - old;
    squares += old * old;
    change += moved * moved;
  }
  store<f64>(out, squares);
  store<f64>(out, change, 8);
}

/** The first six; with `some`, leaves out of all of them what is not finite. */
// @ts-ignore: decorator
@inline
function pass(x: usize, n: i32, out: usize, some: bool): void {
  const none = f64x2.splat(0);
  let squares0 = none, squares1 = none, sum0 = none, sum1 = none, least = splat(Infinity), most = splat(-Infinity);
  // A mask, as an integer, is -1: they count downwards.
  let zeros = i32x4.splat(0), finite = zeros, i = 0;
  for (; i + 4 <= n; i += 4, x += 16) {
    const v = v128.load(x);
    zeros = i32x4.add(zeros, f32x4.eq(v, splat(0)));
    let a: v128, b: v128;
    if (some) {
      const mask = f32x4.lt(f32x4.abs(v), splat(Infinity)), kept = v128.and(v, mask);
      finite = i32x4.add(finite, mask);
      least = f32x4.pmin(least, v128.bitselect(v, splat(Infinity), mask));
      most = f32x4.pmax(most, v128.bitselect(v, splat(-Infinity), mask));
      a = f64x2.promote_low_f32x4(kept);
      b = f64x2.promote_low_f32x4(v128.shuffle<f64>(kept, kept, 1, 1));
    } else {
      least = f32x4.pmin(least, v);
      most = f32x4.pmax(most, v);
      a = doubles(x);
      b = doubles(x + 8);
    }
    squares0 = withSquare(squares0, a);
    squares1 = withSquare(squares1, b);
    sum0 = f64x2.add(sum0, a);
    sum1 = f64x2.add(sum1, b);
  }
  let squares = totalOf(squares0, squares1), sum = totalOf(sum0, sum1);
  let zeroCount = -laneSum(zeros), finiteCount = some ? -laneSum(finite) : i;
  let smallest = leastOf(least), largest = -leastOf(f32x4.neg(most));
  for (; i < n; i++, x += 4) {
    const value = load<f32>(x), double = <f64>value;
    if (some && !isFinite<f32>(value)) continue;
    finiteCount++;
    zeroCount += i32(value == 0);
    squares += double * double;
    sum += double;
    smallest = min<f32>(smallest, value);
    largest = max<f32>(largest, value);
  }
  store<f64>(out, squares);
  store<f64>(out, <f64>finiteCount, 8);
  store<f64>(out, <f64>zeroCount, 16);
  store<f64>(out, <f64>smallest, 24);
  store<f64>(out, <f64>largest, 32);
  store<f64>(out, sum, 40);
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

/** Two floats from memory. To load them once more is faster than to move them to the lower half of a vector. */
// @ts-ignore: decorator
@inline
function doubles(x: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(x));
}

/** The square of a float is exact as a double: statistics are the same with FMA and without. */
// @ts-ignore: decorator
@inline
function withSquare(sum: v128, v: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return f64x2.relaxed_madd(v, v, sum);
  return f64x2.add(sum, f64x2.mul(v, v));
}

// @ts-ignore: decorator
@inline
function totalOf(a: v128, b: v128): f64 {
  const both = f64x2.add(a, b);
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
function leastOf(v: v128): f32 {
  const a = min<f32>(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1));
  return min<f32>(a, min<f32>(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}
