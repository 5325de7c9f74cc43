// Normalisation of the columns of [height, width] over a batch, in steps that threads can share: sums for each block of
// rows, which are added in order, so that it does not matter which thread computes one, and then each row by itself.
import { sumColumns } from './reduce';
import { floats, madd, rows, smaller, splat } from './vector';

/** So many rows at a time stay in the cache while the columns pass over them: BATCH_NORM_ROWS of src/kernels/blocks.ts. */
const BLOCK: i32 = 128;

/** For each block of rows the sums of its columns. */
export function blockSums(x: usize, sums: usize, height: i32, width: i32): void {
  const row = floats(width);
  for (let r0 = 0; r0 < height; r0 += BLOCK, sums += row) {
    sumColumns(x + rows(r0, row), sums, smaller(BLOCK, height - r0), width);
  }
}

/** For each block of rows the sums of (x - mean)^2. */
export function blockSquares(x: usize, mean: usize, squares: usize, height: i32, width: i32): void {
  const row = floats(width);
  for (let r0 = 0; r0 < height; r0 += BLOCK, squares += row) {
    const count = smaller(BLOCK, height - r0);
    let c = 0;
    for (; c + 4 <= width; c += 4) {
      const middle = v128.load(mean + floats(c));
      let sum = splat(0), p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, p += row) {
        const d = f32x4.sub(v128.load(p), middle);
        sum = madd(d, d, sum);
      }
      v128.store(squares + floats(c), sum);
    }
    for (; c < width; c++) {
      const middle = load<f32>(mean + floats(c));
      let sum: f32 = 0, p = x + rows(r0, row) + floats(c);
      for (let r = 0; r < count; r++, p += row) {
        const d = load<f32>(p) - middle;
        sum += d * d;
      }
      store<f32>(squares + floats(c), sum);
    }
  }
}

/** What blocks have left, added up in their order: out[width] = factor * the sum of [count, width]. */
export function joinBlocks(blocks: usize, out: usize, count: i32, width: i32, factor: f32): void {
  const row = floats(width);
  let c = 0;
  for (; c + 4 <= width; c += 4) {
    let sum = splat(0), p = blocks + floats(c);
    for (let b = 0; b < count; b++, p += row) sum = f32x4.add(sum, v128.load(p));
    v128.store(out + floats(c), f32x4.mul(sum, splat(factor)));
  }
  for (; c < width; c++) {
    let sum: f32 = 0, p = blocks + floats(c);
    for (let b = 0; b < count; b++, p += row) sum += load<f32>(p);
    store<f32>(out + floats(c), sum * factor);
  }
}

/** Normalises rows by mean and variance of the columns. */
export function batchNormRows(
  x: usize, gamma: usize, beta: usize, mean: usize, variance: usize, y: usize, height: i32, width: i32, epsilon: f32,
): void {
  const row = floats(width);
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

/** For each block of rows its part of dGamma and of dBeta. */
export function blockSlopes(
  x: usize, dy: usize, mean: usize, variance: usize, dGammas: usize, dBetas: usize, height: i32, width: i32, epsilon: f32,
): void {
  const row = floats(width);
  for (let r0 = 0; r0 < height; r0 += BLOCK, dGammas += row, dBetas += row) {
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
      v128.store(dBetas + floats(c), sum);
      v128.store(dGammas + floats(c), f32x4.mul(product, inverse));
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
      store<f32>(dBetas + floats(c), sum);
      store<f32>(dGammas + floats(c), product * inverse);
    }
  }
}

/** dx of rows; `share` is 1 / the number of all rows, of which these may be a part. */
export function batchNormGradientRows(
  x: usize, dy: usize, gamma: usize, mean: usize, variance: usize, dGamma: usize, dBeta: usize, dx: usize,
  height: i32, width: i32, epsilon: f32, share: f32,
): void {
  const row = floats(width);
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
