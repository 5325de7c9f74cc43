// Normalisation of each row by itself.
import { sumOfRow } from './reduce';
import { floats, madd, rows, smaller, splat, sumOf } from './vector';

/** Rows whose sums for gamma and beta are one block: LAYER_NORM_ROWS of src/kernels/blocks.ts. */
const BLOCK: i32 = 32;

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

/**
 * dx, and for each block of rows its part of dGamma and of dBeta. Blocks are added in order by joinBlocks, so that it
 * does not matter which thread computes one.
 */
export function layerNormGradientRows(
  x: usize, dy: usize, gamma: usize, mean: usize, inverse: usize, dx: usize, dGammas: usize, dBetas: usize,
  height: i32, width: i32,
): void {
  const row = floats(width);
  for (let r0 = 0; r0 < height; r0 += BLOCK, dGammas += row, dBetas += row) {
    const before = rows(r0, row), statistics = floats(r0);
    blockGradient(
      x + before, dy + before, gamma, mean + statistics, inverse + statistics, dx + before, dGammas, dBetas,
      smaller(BLOCK, height - r0), width,
    );
  }
}

function blockGradient(
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
