// Losses of [height, width] and their gradients in one pass each.
import { logOf, logOfOne, sigmoidOf, softplusOf } from './math';
import { softmax } from './softmax';
import { floats, splat, sumOf } from './vector';

/** The mean over rows of -sum(target * log(clip(p))). */
export function categoricalCrossentropy(p: usize, target: usize, height: i32, width: i32, epsilon: f32): f64 {
  let total: f64 = 0;
  const most: f32 = <f32>1 - epsilon, n = height * width;
  for (let i = 0; i < n; i++, p += 4, target += 4) {
    const y = load<f32>(target);
    if (y != 0) total -= <f64>(y * logOfOne(clipped(load<f32>(p), epsilon, most)));
  }
  return total / <f64>height;
}

export function categoricalCrossentropyGradient(
  p: usize, target: usize, out: usize, height: i32, width: i32, epsilon: f32, dy: f32,
): void {
  const most: f32 = <f32>1 - epsilon, share = -dy / <f32>height, n = height * width;
  for (let i = 0; i < n; i++, p += 4, target += 4, out += 4) {
    const x = load<f32>(p);
    store<f32>(out, x >= epsilon && x <= most ? (share * load<f32>(target)) / x : x == x ? 0 : x);
  }
}

// @ts-ignore: decorator
@inline
function clipped(x: f32, low: f32, high: f32): f32 {
  return min<f32>(max<f32>(x, low), high);
}

/** The mean over rows of -sum(target * log(softmax(x))); the softmax goes to `probabilities`. */
export function softmaxCrossentropy(x: usize, target: usize, probabilities: usize, height: i32, width: i32): f64 {
  softmax(x, probabilities, height, width);
  let total: f64 = 0;
  for (let r = 0; r < height; r++, x += floats(width), target += floats(width), probabilities += floats(width)) {
    let most: f32 = -Infinity, first = 0;
    for (let c = 0; c < width; c++) most = max<f32>(most, load<f32>(x + floats(c)));
    // The probability of the largest is at least 1 / width: its logarithm is exact, and the others follow from it.
    while (first < width - 1 && load<f32>(x + floats(first)) != most) first++;
    const log = logOfOne(load<f32>(probabilities + floats(first)));
    for (let c = 0; c < width; c++) {
      const y = load<f32>(target + floats(c));
      if (y != 0) total -= <f64>(y * (load<f32>(x + floats(c)) - most + log));
    }
  }
  return total / <f64>height;
}

/** dy / height * (probability * sum(targets) - target), in place of the probabilities. */
export function softmaxCrossentropyGradient(
  probabilities: usize, target: usize, out: usize, height: i32, width: i32, dy: f32,
): void {
  const share = dy / <f32>height;
  for (let r = 0; r < height; r++) {
    let sum: f32 = 0;
    for (let c = 0; c < width; c++) sum += load<f32>(target + floats(c));
    for (let c = 0; c < width; c++, probabilities += 4, target += 4, out += 4) {
      store<f32>(out, share * (sum * load<f32>(probabilities) - load<f32>(target)));
    }
  }
}

/** The mean of (p - target)^2. */
export function meanSquaredError(p: usize, target: usize, n: i32): f64 {
  let total: f64 = 0, i = 0;
  for (; i + 4 <= n; ) {
    let sum = splat(0);
    const end = i + 512 < n ? i + 512 : n;
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
  return total / <f64>n;
}

export function meanSquaredErrorGradient(p: usize, target: usize, out: usize, n: i32, dy: f32): void {
  const factor: f32 = (dy * 2) / <f32>n;
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16, target += 16, out += 16) {
    v128.store(out, f32x4.mul(splat(factor), f32x4.sub(v128.load(p), v128.load(target))));
  }
  for (; i < n; i++, p += 4, target += 4, out += 4) store<f32>(out, factor * (load<f32>(p) - load<f32>(target)));
}

/** The mean of softplus(x) - target * x: binary cross-entropy of logits. */
export function sigmoidCrossentropy(x: usize, target: usize, n: i32): f64 {
  let total: f64 = 0;
  for (let i = 0; i < n; i++, x += 4, target += 4) {
    const value = load<f32>(x);
    total += <f64>f32x4.extract_lane(softplusOf(splat(value)), 0) - <f64>(load<f32>(target) * value);
  }
  return total / <f64>n;
}

export function sigmoidCrossentropyGradient(x: usize, target: usize, out: usize, n: i32, dy: f32): void {
  const factor: f32 = dy / <f32>n;
  for (let i = 0; i < n; i++, x += 4, target += 4, out += 4) {
    const p = f32x4.extract_lane(sigmoidOf(v128.load_splat<f32>(x)), 0);
    store<f32>(out, factor * (p - load<f32>(target)));
  }
}

/** The mean of -(target log(clip(p)) + (1 - target) log(1 - clip(p))). */
export function binaryCrossentropy(p: usize, target: usize, n: i32, epsilon: f32): f64 {
  let total: f64 = 0;
  const most: f32 = <f32>1 - epsilon;
  for (let i = 0; i < n; i++, p += 4, target += 4) {
    const x = clipped(load<f32>(p), epsilon, most), y = load<f32>(target);
    const logs = logOf(f32x4.replace_lane(splat(x), 1, <f32>1 - x));
    total -= <f64>(y * f32x4.extract_lane(logs, 0) + (<f32>1 - y) * f32x4.extract_lane(logs, 1));
  }
  return total / <f64>n;
}

export function binaryCrossentropyGradient(p: usize, target: usize, out: usize, n: i32, epsilon: f32, dy: f32): void {
  const factor: f32 = dy / <f32>n, most: f32 = <f32>1 - epsilon;
  for (let i = 0; i < n; i++, p += 4, target += 4, out += 4) {
    const x = load<f32>(p), y = load<f32>(target);
    const inside = x >= epsilon && x <= most;
    store<f32>(out, inside ? factor * ((<f32>1 - y) / (<f32>1 - x) - y / x) : x == x ? 0 : x);
  }
}
