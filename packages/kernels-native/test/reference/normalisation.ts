import { fused } from '../support/fused.js';
import { columnSums, fourSums, sumOfRow } from './rows.js';

const f = Math.fround;

interface Sizes {
  readonly height: number;
  readonly width: number;
  readonly epsilon: number;
}

/** x, and what it is multiplied with and moved by; both have a number for each column. */
interface Affine {
  readonly x: Float32Array;
  readonly gamma: Float32Array;
  readonly beta: Float32Array;
}

interface Gradients {
  readonly dx: Float32Array;
  readonly dGamma: Float32Array;
  readonly dBeta: Float32Array;
}

/** The last one to three columns are multiplied and added with two roundings. */
const add = (a: number, b: number, sum: number, isFused: boolean): number =>
  isFused ? fused(a, b, sum) : f(f(a * b) + sum);

const foursOf = (width: number): number => width - (width % 4);

export function layerNorm({ x, gamma, beta }: Affine, { height, width, epsilon }: Sizes) {
  const [y, mean, inverse] = [new Float32Array(x.length), new Float32Array(height), new Float32Array(height)];
  for (let r = 0; r < height; r++) {
    const row = x.subarray(r * width, (r + 1) * width);
    const middle = f(sumOfRow(row) / width);
    const squares = fourSums(
      width,
      (sum, c) => fused(f(row[c]! - middle), f(row[c]! - middle), sum),
      (sum, c) => f(sum + f(f(row[c]! - middle) * f(row[c]! - middle))),
    );
    const scale = f(1 / f(Math.sqrt(f(f(squares / width) + f(epsilon)))));
    [mean[r], inverse[r]] = [middle, scale];
    for (let c = 0; c < width; c++) {
      y[r * width + c] = add(f(f(row[c]! - middle) * scale), gamma[c]!, beta[c]!, c < foursOf(width));
    }
  }
  return { y, mean, inverse };
}

export function layerNormGradient(
  { x, dy, gamma, mean, inverse }: Record<'x' | 'dy' | 'gamma' | 'mean' | 'inverse', Float32Array>,
  { height, width }: Omit<Sizes, 'epsilon'>,
): Gradients {
  const [dx, dGamma, dBeta] = [new Float32Array(x.length), new Float32Array(width), new Float32Array(width)];
  const share = f(1 / width);
  for (let r = 0; r < height; r++) {
    const at = (c: number): number => r * width + c;
    const normal = (c: number): number => f(f(x[at(c)]! - mean[r]!) * inverse[r]!);
    const g = (c: number): number => f(dy[at(c)]! * gamma[c]!);
    const sum = fourSums(
      width,
      (total, c) => f(total + g(c)),
      (total, c) => f(total + g(c)),
    );
    const along = fourSums(
      width,
      (total, c) => fused(g(c), normal(c), total),
      (total, c) => f(total + f(g(c) * normal(c))),
    );
    const [a, b] = [f(sum * share), f(along * share)];
    for (let c = 0; c < width; c++) {
      dBeta[c]! += dy[at(c)]!;
      dGamma[c] = add(dy[at(c)]!, normal(c), dGamma[c]!, c < foursOf(width));
      dx[at(c)] = f(f(g(c) - a) - f(normal(c) * b)) * inverse[r]!;
    }
  }
  return { dx, dGamma, dBeta };
}

/** Rows are summed 128 at a time. */
function inBlocks(height: number, column: (from: number, to: number) => number, join: typeof plus): number {
  let total = 0;
  for (let r0 = 0; r0 < height; r0 += 128) total = join(total, column(r0, Math.min(height, r0 + 128)));
  return total;
}

const plus = (a: number, b: number): number => f(a + b);

export function batchNorm({ x, gamma, beta }: Affine, { height, width, epsilon }: Sizes) {
  const share = f(1 / height);
  const mean = columnSums(x, height, width).map((each) => each * share);
  const [y, variance] = [new Float32Array(x.length), new Float32Array(width)];
  for (let c = 0; c < width; c++) {
    const isFused = c < foursOf(width);
    const distance = (r: number): number => f(x[r * width + c]! - mean[c]!);
    const squares = (from: number, to: number): number => {
      let sum = 0;
      for (let r = from; r < to; r++) sum = add(distance(r), distance(r), sum, isFused);
      return sum;
    };
    variance[c] = inBlocks(height, squares, plus) * share;
    const scale = f(gamma[c]! / f(Math.sqrt(f(variance[c]! + f(epsilon)))));
    for (let r = 0; r < height; r++) y[r * width + c] = add(distance(r), scale, beta[c]!, isFused);
  }
  return { y, mean, variance };
}

export function batchNormGradient(
  { x, dy, gamma, mean, variance }: Record<'x' | 'dy' | 'gamma' | 'mean' | 'variance', Float32Array>,
  { height, width, epsilon }: Sizes,
): Gradients {
  const share = f(1 / height);
  const [dx, dGamma] = [new Float32Array(x.length), new Float32Array(width)];
  const dBeta = columnSums(dy, height, width);
  for (let c = 0; c < width; c++) {
    const isFused = c < foursOf(width);
    const distance = (r: number): number => f(x[r * width + c]! - mean[c]!);
    const inverse = f(1 / f(Math.sqrt(f(variance[c]! + f(epsilon)))));
    const products = (from: number, to: number): number => {
      let sum = 0;
      for (let r = from; r < to; r++) sum = add(dy[r * width + c]!, distance(r), sum, isFused);
      return sum;
    };
    dGamma[c] = inBlocks(height, products, (total, block) => add(block, inverse, total, isFused));
    const scale = f(gamma[c]! * inverse);
    const along = f(f(inverse * dGamma[c]!) * share);
    const offset = f(dBeta[c]! * share);
    for (let r = 0; r < height; r++) {
      dx[r * width + c] = scale * f(f(dy[r * width + c]! - offset) - f(along * distance(r)));
    }
  }
  return { dx, dGamma, dBeta };
}
