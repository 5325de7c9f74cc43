// Losses and their gradients in one pass each. A loss leaves one sum, a double, for each block of numbers or for each row;
// they are added in order, so that it does not matter which thread computes one. Gradients take the factor `share`: what
// arrives, divided by what the loss is the mean of.
import { logOf, logOfOne, sigmoidOf, softplusOf } from './math';
import { largestOf, softmaxRow } from './softmax';
import { floats, masked, smaller, splat, sumOf } from './vector';

/** A multiple of 512: LOSS_NUMBERS of src/kernels/blocks.ts. */
const BLOCK: i32 = 1024;

/** out = the sum of totals / divisor. */
export function joinTotals(totals: usize, out: usize, count: i32, divisor: f64): void {
  let total: f64 = 0;
  for (let i = 0; i < count; i++, totals += 8) total += load<f64>(totals);
  store<f32>(out, <f32>(total / divisor));
}

/** Sums of -target * log(clip(p)). */
export function categoricalCrossentropy(p: usize, target: usize, totals: usize, n: i32, epsilon: f32): void {
  for (let i = 0; i < n; i += BLOCK, totals += 8) {
    store<f64>(totals, categoricalBlock(p + floats(i), target + floats(i), smaller(BLOCK, n - i), epsilon));
  }
}

function categoricalBlock(p: usize, target: usize, n: i32, epsilon: f32): f64 {
  let total: f64 = 0, i = 0;
  const low = splat(epsilon), high = splat(<f32>1 - epsilon);
  for (; i + 4 <= n; i += 4, p += 16, target += 16) {
    const y = v128.load(target), isSome = f32x4.ne(y, splat(0));
    // Most targets are 0, and need no logarithm.
    if (v128.any_true(isSome)) total -= <f64>sumOf(v128.and(f32x4.mul(y, logOf(clipped(v128.load(p), low, high))), isSome));
  }
  for (; i < n; i++, p += 4, target += 4) {
    const y = load<f32>(target);
    if (y != 0) total -= <f64>(y * f32x4.extract_lane(logOf(clipped(v128.load_splat<f32>(p), low, high)), 0));
  }
  return total;
}

export function categoricalCrossentropyGradient(
  p: usize, target: usize, out: usize, n: i32, epsilon: f32, share: f32,
): void {
  const low = splat(epsilon), high = splat(<f32>1 - epsilon), factor = splat(-share);
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, target += 16, out += 16) {
    v128.store(out, clippedSlope(v128.load(p), v128.load(target), factor, low, high));
  }
  for (; i < n; i++, p += 4, target += 4, out += 4) {
    const slope = clippedSlope(v128.load_splat<f32>(p), v128.load_splat<f32>(target), factor, low, high);
    store<f32>(out, f32x4.extract_lane(slope, 0));
  }
}

/** Of target log(clip(x)), times a factor: 0 where it is clipped, NaN where x is. */
// @ts-ignore: decorator
@inline
function clippedSlope(x: v128, target: v128, factor: v128, low: v128, high: v128): v128 {
  return masked(f32x4.div(f32x4.mul(factor, target), x), x, v128.and(f32x4.ge(x, low), f32x4.le(x, high)));
}

/** NaN stays NaN. */
// @ts-ignore: decorator
@inline
function clipped(x: v128, low: v128, high: v128): v128 {
  return f32x4.pmin(f32x4.pmax(x, low), high);
}

/** For each row the sum of -target * log(softmax(x)); the softmax goes to `probabilities`. */
export function softmaxCrossentropy(
  x: usize, target: usize, probabilities: usize, totals: usize, height: i32, width: i32,
): void {
  for (let r = 0; r < height; r++, probabilities += floats(width), totals += 8) {
    const most = largestOf(x, width), sum = softmaxRow(x, probabilities, width, most), log = logOfOne(sum);
    let total: f64 = 0, c = 0;
    // x - most - log(sum) is the logarithm: that of a small probability would be less exact.
    for (; c + 4 <= width; c += 4, x += 16, target += 16) {
      const y = v128.load(target), isSome = f32x4.ne(y, splat(0));
      if (!v128.any_true(isSome)) continue;
      const logs = f32x4.sub(f32x4.sub(v128.load(x), splat(most)), splat(log));
      total -= <f64>sumOf(v128.and(f32x4.mul(y, logs), isSome));
    }
    for (; c < width; c++, x += 4, target += 4) {
      const y = load<f32>(target);
      if (y != 0) total -= <f64>(y * (load<f32>(x) - most - log));
    }
    store<f64>(totals, total);
  }
}

/** share * (probability * sum(targets) - target); `out` may be where the probabilities are. */
export function softmaxCrossentropyGradient(
  probabilities: usize, target: usize, out: usize, height: i32, width: i32, share: f32,
): void {
  for (let r = 0; r < height; r++) {
    let sums = splat(0), rest: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) sums = f32x4.add(sums, v128.load(target + floats(c)));
    for (; c < width; c++) rest += load<f32>(target + floats(c));
    const sum = rest + sumOf(sums), all = splat(sum), factor = splat(share);
    for (c = 0; c + 4 <= width; c += 4, probabilities += 16, target += 16, out += 16) {
      v128.store(out, f32x4.mul(factor, f32x4.sub(f32x4.mul(all, v128.load(probabilities)), v128.load(target))));
    }
    for (; c < width; c++, probabilities += 4, target += 4, out += 4) {
      store<f32>(out, share * (sum * load<f32>(probabilities) - load<f32>(target)));
    }
  }
}

/** Sums of (p - target)^2. */
export function meanSquaredError(p: usize, target: usize, totals: usize, n: i32): void {
  for (let i = 0; i < n; i += BLOCK, totals += 8) {
    store<f64>(totals, squaresBlock(p + floats(i), target + floats(i), smaller(BLOCK, n - i)));
  }
}

function squaresBlock(p: usize, target: usize, n: i32): f64 {
  let total: f64 = 0, i = 0;
  for (; i + 4 <= n; ) {
    let sum = splat(0);
    const end = smaller(i + 512, n);
    for (; i + 4 <= end; i += 4, p += 16, target += 16) {
      const d = f32x4.sub(v128.load(p), v128.load(target));
      sum = f32x4.add(sum, f32x4.mul(d, d));
    }
    total += <f64>sumOf(sum);
  }
  for (; i < n; i++, p += 4, target += 4) {
    const d = load<f32>(p) - load<f32>(target);
    total += <f64>(d * d);
  }
  return total;
}

export function meanSquaredErrorGradient(p: usize, target: usize, out: usize, n: i32, share: f32): void {
  const factor: f32 = share * 2;
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, target += 16, out += 16) {
    v128.store(out, f32x4.mul(splat(factor), f32x4.sub(v128.load(p), v128.load(target))));
  }
  for (; i < n; i++, p += 4, target += 4, out += 4) store<f32>(out, factor * (load<f32>(p) - load<f32>(target)));
}

/** Sums of softplus(x) - target * x: binary cross-entropy of logits. */
export function sigmoidCrossentropy(x: usize, target: usize, totals: usize, n: i32): void {
  for (let i = 0; i < n; i += BLOCK, totals += 8) {
    store<f64>(totals, sigmoidBlock(x + floats(i), target + floats(i), smaller(BLOCK, n - i)));
  }
}

function sigmoidBlock(x: usize, target: usize, n: i32): f64 {
  let total: f64 = 0;
  for (let i = 0; i < n; i++, x += 4, target += 4) {
    const value = load<f32>(x);
    total += <f64>f32x4.extract_lane(softplusOf(splat(value)), 0) - <f64>(load<f32>(target) * value);
  }
  return total;
}

export function sigmoidCrossentropyGradient(x: usize, target: usize, out: usize, n: i32, share: f32): void {
  let i = 0;
  for (; i + 4 <= n; i += 4, x += 16, target += 16, out += 16) {
    v128.store(out, f32x4.mul(splat(share), f32x4.sub(sigmoidOf(v128.load(x)), v128.load(target))));
  }
  for (; i < n; i++, x += 4, target += 4, out += 4) {
    const p = f32x4.extract_lane(sigmoidOf(v128.load_splat<f32>(x)), 0);
    store<f32>(out, share * (p - load<f32>(target)));
  }
}

/** Sums of -(target log(clip(p)) + (1 - target) log(1 - clip(p))). */
export function binaryCrossentropy(p: usize, target: usize, totals: usize, n: i32, epsilon: f32): void {
  for (let i = 0; i < n; i += BLOCK, totals += 8) {
    store<f64>(totals, binaryBlock(p + floats(i), target + floats(i), smaller(BLOCK, n - i), epsilon));
  }
}

function binaryBlock(p: usize, target: usize, n: i32, epsilon: f32): f64 {
  let total: f64 = 0;
  const most: f32 = <f32>1 - epsilon;
  for (let i = 0; i < n; i++, p += 4, target += 4) {
    const x = min<f32>(max<f32>(load<f32>(p), epsilon), most), y = load<f32>(target);
    const logs = logOf(f32x4.replace_lane(splat(x), 1, <f32>1 - x));
    total -= <f64>(y * f32x4.extract_lane(logs, 0) + (<f32>1 - y) * f32x4.extract_lane(logs, 1));
  }
  return total;
}

export function binaryCrossentropyGradient(
  p: usize, target: usize, out: usize, n: i32, epsilon: f32, share: f32,
): void {
  const most: f32 = <f32>1 - epsilon;
  for (let i = 0; i < n; i++, p += 4, target += 4, out += 4) {
    const x = load<f32>(p), y = load<f32>(target);
    const inside = x >= epsilon && x <= most;
    store<f32>(out, inside ? share * ((<f32>1 - y) / (<f32>1 - x) - y / x) : x == x ? 0 : x);
  }
}
