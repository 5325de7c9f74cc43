// Normalisation: of the columns of [height, width] over a batch, and of each row by itself.
import { sumColumns, sumOfRow } from './reduce';
import { floats, madd, rows, smaller, splat, sumOf } from './vector';

// So many rows at a time: they stay in the cache while the columns pass over them.
const BLOCK: i32 = 128;

/** Normalises each column; gives its mean and its variance. */
export function batchNorm(
  x: usize, gamma: usize, beta: usize, y: usize, mean: usize, variance: usize, height: i32, width: i32, epsilon: f32,
): void {
  const row = floats(width), share: f32 = <f32>1 / <f32>height;
  sumColumns(x, mean, height, width);
  for (let c = 0; c < width; c++) store<f32>(mean + floats(c), load<f32>(mean + floats(c)) * share);
  memory.fill(variance, 0, row);
  for (let r0 = 0; r0 < height; r0 += BLOCK) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      const middle = v128.load(mean + floats(c));
      let sum = splat(0), p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, p += row) {
        const d = f32x4.sub(v128.load(p), middle);
        sum = madd(d, d, sum);
      }
      v128.store(variance + floats(c), f32x4.add(v128.load(variance + floats(c)), sum));
    }
    for (; c < width; c++) {
      const middle = load<f32>(mean + floats(c));
      let sum: f32 = 0, p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, p += row) {
        const d = load<f32>(p) - middle;
        sum += d * d;
      }
      store<f32>(variance + floats(c), load<f32>(variance + floats(c)) + sum);
    }
  }
  for (let c = 0; c < width; c++) store<f32>(variance + floats(c), load<f32>(variance + floats(c)) * share);
  for (let r0 = 0; r0 < height; r0 += BLOCK) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      const middle = v128.load(mean + floats(c)), offset = v128.load(beta + floats(c));
      const root = f32x4.sqrt(f32x4.add(v128.load(variance + floats(c)), splat(epsilon)));
      const scale = f32x4.div(v128.load(gamma + floats(c)), root);
      let at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        v128.store(y + at, madd(f32x4.sub(v128.load(x + at), middle), scale, offset));
      }
    }
    for (; c < width; c++) {
      const middle = load<f32>(mean + floats(c)), offset = load<f32>(beta + floats(c));
      const scale = load<f32>(gamma + floats(c)) / sqrt<f32>(load<f32>(variance + floats(c)) + epsilon);
      let at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) store<f32>(y + at, (load<f32>(x + at) - middle) * scale + offset);
    }
  }
}

export function batchNormGradient(
  x: usize, dy: usize, gamma: usize, mean: usize, variance: usize, dx: usize, dGamma: usize, dBeta: usize,
  height: i32, width: i32, epsilon: f32,
): void {
  const row = floats(width), share: f32 = <f32>1 / <f32>height;
  memory.fill(dGamma, 0, row);
  memory.fill(dBeta, 0, row);
  for (let r0 = 0; r0 < height; r0 += BLOCK) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      const middle = v128.load(mean + floats(c));
      const inverse = f32x4.div(splat(1), f32x4.sqrt(f32x4.add(v128.load(variance + floats(c)), splat(epsilon))));
      let sum = splat(0), product = splat(0), at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        const d = v128.load(dy + at);
        sum = f32x4.add(sum, d);
        product = madd(d, f32x4.sub(v128.load(x + at), middle), product);
      }
      v128.store(dBeta + floats(c), f32x4.add(v128.load(dBeta + floats(c)), sum));
      v128.store(dGamma + floats(c), madd(product, inverse, v128.load(dGamma + floats(c))));
    }
    for (; c < width; c++) {
      const middle = load<f32>(mean + floats(c));
      const inverse: f32 = <f32>1 / sqrt<f32>(load<f32>(variance + floats(c)) + epsilon);
      let sum: f32 = 0, product: f32 = 0, at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        const d = load<f32>(dy + at);
        sum += d;
        product += d * (load<f32>(x + at) - middle);
      }
      store<f32>(dBeta + floats(c), load<f32>(dBeta + floats(c)) + sum);
      store<f32>(dGamma + floats(c), load<f32>(dGamma + floats(c)) + product * inverse);
    }
  }
  for (let r0 = 0; r0 < height; r0 += BLOCK) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      const middle = v128.load(mean + floats(c));
      const inverse = f32x4.div(splat(1), f32x4.sqrt(f32x4.add(v128.load(variance + floats(c)), splat(epsilon))));
      const scale = f32x4.mul(v128.load(gamma + floats(c)), inverse);
      const along = f32x4.mul(f32x4.mul(inverse, v128.load(dGamma + floats(c))), splat(share));
      const offset = f32x4.mul(v128.load(dBeta + floats(c)), splat(share));
      let at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        const centred = f32x4.sub(v128.load(dy + at), offset);
        const deviation = f32x4.sub(v128.load(x + at), middle);
        v128.store(dx + at, f32x4.mul(scale, f32x4.sub(centred, f32x4.mul(along, deviation))));
      }
    }
    for (; c < width; c++) {
      const middle = load<f32>(mean + floats(c));
      const inverse: f32 = <f32>1 / sqrt<f32>(load<f32>(variance + floats(c)) + epsilon);
      const scale = load<f32>(gamma + floats(c)) * inverse;
      const along = inverse * load<f32>(dGamma + floats(c)) * share, offset = load<f32>(dBeta + floats(c)) * share;
      let at = rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, at += row) {
        store<f32>(dx + at, scale * (load<f32>(dy + at) - offset - along * (load<f32>(x + at) - middle)));
      }
    }
  }
}

/** moved = average - (average - value) * rate, as tfjs writes it. */
export function moveAverage(average: usize, value: usize, moved: usize, n: i32, rate: f32): void {
  for (let i = 0; i < n; i++, average += 4, value += 4, moved += 4) {
    const before = load<f32>(average);
    store<f32>(moved, before - (before - load<f32>(value)) * rate);
  }
}

/** Normalises each row; mean[height] and inverse[height], 1 / the root of its variance, are for the gradient. */
export function layerNorm(
  x: usize, gamma: usize, beta: usize, y: usize, mean: usize, inverse: usize, height: i32, width: i32, epsilon: f32,
): void {
  const row = floats(width);
  for (let r = 0; r < height; r++, x += row, y += row) {
    const middle = <f32>(sumOfRow(x, width) / <f64>width);
    let sums = splat(0), rest: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) {
      const d = f32x4.sub(v128.load(x + floats(c)), splat(middle));
      sums = madd(d, d, sums);
    }
    for (; c < width; c++) {
      const d = load<f32>(x + floats(c)) - middle;
      rest += d * d;
    }
    const scale: f32 = <f32>1 / sqrt<f32>((rest + sumOf(sums)) / <f32>width + epsilon);
    store<f32>(mean + floats(r), middle);
    store<f32>(inverse + floats(r), scale);
    for (c = 0; c + 4 <= width; c += 4) {
      const normal = f32x4.mul(f32x4.sub(v128.load(x + floats(c)), splat(middle)), splat(scale));
      v128.store(y + floats(c), madd(normal, v128.load(gamma + floats(c)), v128.load(beta + floats(c))));
    }
    for (; c < width; c++) {
      const normal = (load<f32>(x + floats(c)) - middle) * scale;
      store<f32>(y + floats(c), normal * load<f32>(gamma + floats(c)) + load<f32>(beta + floats(c)));
    }
  }
}

export function layerNormGradient(
  x: usize, dy: usize, gamma: usize, mean: usize, inverse: usize, dx: usize, dGamma: usize, dBeta: usize,
  height: i32, width: i32,
): void {
  const row = floats(width), share: f32 = <f32>1 / <f32>width;
  memory.fill(dGamma, 0, row);
  memory.fill(dBeta, 0, row);
  for (let r = 0; r < height; r++, x += row, dy += row, dx += row) {
    const middle = load<f32>(mean + floats(r)), scale = load<f32>(inverse + floats(r));
    let sums = splat(0), products = splat(0), sum: f32 = 0, product: f32 = 0, c = 0;
    for (; c + 4 <= width; c += 4) {
      const d = v128.load(dy + floats(c)), at = floats(c);
      const normal = f32x4.mul(f32x4.sub(v128.load(x + at), splat(middle)), splat(scale));
      const g = f32x4.mul(d, v128.load(gamma + at));
      sums = f32x4.add(sums, g);
      products = madd(g, normal, products);
      v128.store(dBeta + at, f32x4.add(v128.load(dBeta + at), d));
      v128.store(dGamma + at, madd(d, normal, v128.load(dGamma + at)));
    }
    for (; c < width; c++) {
      const d = load<f32>(dy + floats(c)), normal = (load<f32>(x + floats(c)) - middle) * scale;
      const g = d * load<f32>(gamma + floats(c));
      sum += g;
      product += g * normal;
      store<f32>(dBeta + floats(c), load<f32>(dBeta + floats(c)) + d);
      store<f32>(dGamma + floats(c), load<f32>(dGamma + floats(c)) + d * normal);
    }
    const a: f32 = (sum + sumOf(sums)) * share, b: f32 = (product + sumOf(products)) * share;
    for (c = 0; c + 4 <= width; c += 4) {
      const normal = f32x4.mul(f32x4.sub(v128.load(x + floats(c)), splat(middle)), splat(scale));
      const g = f32x4.mul(v128.load(dy + floats(c)), v128.load(gamma + floats(c)));
      const left = f32x4.sub(f32x4.sub(g, splat(a)), f32x4.mul(normal, splat(b)));
      v128.store(dx + floats(c), f32x4.mul(left, splat(scale)));
    }
    for (; c < width; c++) {
      const normal = (load<f32>(x + floats(c)) - middle) * scale;
      const g = load<f32>(dy + floats(c)) * load<f32>(gamma + floats(c));
      store<f32>(dx + floats(c), (g - a - normal * b) * scale);
    }
  }
}
