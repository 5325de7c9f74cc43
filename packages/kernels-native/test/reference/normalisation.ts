import { fused } from '../support/fused.js';
import { fourSums, sumOfRow } from './rows.js';

const f = Math.fround;

interface Shape {
  readonly height: number;
  readonly width: number;
}

interface Sizes extends Shape {
  readonly epsilon: number;
}

type Operands<Name extends string> = Readonly<Record<Name, Float32Array>>;

/** The last one to three columns are multiplied and added with two roundings. */
const add = (a: number, b: number, sum: number, isFused: boolean): number =>
  isFused ? fused(a, b, sum) : f(f(a * b) + sum);

const sumsOf = (height: number, width: number, rows: number): Float32Array =>
  new Float32Array(Math.ceil(height / rows) * width);

const foursOf = (width: number): number => width - (width % 4);

export function layerNorm(
  { x, gamma, beta }: Operands<'x' | 'gamma' | 'beta'>,
  { height, width, epsilon }: Sizes,
) {
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

/** Every 32 rows leave their part of dGamma and dBeta. */
export function layerNormGradientRows(
  { x, dy, gamma, mean, inverse }: Operands<'x' | 'dy' | 'gamma' | 'mean' | 'inverse'>,
  { height, width }: Shape,
) {
  const dx = new Float32Array(x.length);
  const [dGammas, dBetas] = [sumsOf(height, width, 32), sumsOf(height, width, 32)];
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
      const sum = Math.floor(r / 32) * width + c;
      dBetas[sum]! += dy[at(c)]!;
      dGammas[sum] = add(dy[at(c)]!, normal(c), dGammas[sum]!, c < foursOf(width));
      dx[at(c)] = f(f(g(c) - a) - f(normal(c) * b)) * inverse[r]!;
    }
  }
  return { dx, dGammas, dBetas };
}

/** A number for each block of 128 rows and each column. */
function inBlocks(
  { height, width }: Shape,
  sum: (column: number, from: number, to: number) => number,
): Float32Array {
  return sumsOf(height, width, 128).map((_, i) => {
    const from = Math.floor(i / width) * 128;
    return sum(i % width, from, Math.min(height, from + 128));
  });
}

export function blockSums({ x }: Operands<'x'>, shape: Shape) {
  const sums = inBlocks(shape, (c, from, to) => {
    let sum = 0;
    for (let r = from; r < to; r++) sum = f(sum + x[r * shape.width + c]!);
    return sum;
  });
  return { sums };
}

export function blockSquares({ x, mean }: Operands<'x' | 'mean'>, shape: Shape) {
  const squares = inBlocks(shape, (c, from, to) => {
    let sum = 0;
    for (let r = from; r < to; r++) {
      const distance = f(x[r * shape.width + c]! - mean[c]!);
      sum = add(distance, distance, sum, c < foursOf(shape.width));
    }
    return sum;
  });
  return { squares };
}

export function joinBlocks(
  { blocks }: Operands<'blocks'>,
  { count, width, factor }: { count: number; width: number; factor: number },
) {
  const out = new Float32Array(width);
  for (let i = 0; i < count * width; i++) out[i % width]! += blocks[i]!;
  return { out: out.map((sum) => sum * f(factor)) };
}

const inverseOf = (variance: number, epsilon: number): number =>
  f(1 / f(Math.sqrt(f(variance + f(epsilon)))));

export function batchNormRows(
  { x, gamma, beta, mean, variance }: Operands<'x' | 'gamma' | 'beta' | 'mean' | 'variance'>,
  { width, epsilon }: Sizes,
) {
  const y = x.map((value, i) => {
    const c = i % width;
    const scale = f(gamma[c]! / f(Math.sqrt(f(variance[c]! + f(epsilon)))));
    return add(f(value - mean[c]!), scale, beta[c]!, c < foursOf(width));
  });
  return { y };
}

export function blockSlopes(
  { x, dy, mean, variance }: Operands<'x' | 'dy' | 'mean' | 'variance'>,
  { epsilon, ...shape }: Sizes,
) {
  const dGammas = inBlocks(shape, (c, from, to) => {
    let sum = 0;
    for (let r = from; r < to; r++) {
      const at = r * shape.width + c;
      sum = add(dy[at]!, f(x[at]! - mean[c]!), sum, c < foursOf(shape.width));
    }
    return sum * inverseOf(variance[c]!, epsilon);
  });
  return { dGammas, dBetas: blockSums({ x: dy }, shape).sums };
}

export function batchNormGradientRows(
  operands: Operands<'x' | 'dy' | 'gamma' | 'mean' | 'variance' | 'dGamma' | 'dBeta'>,
  { width, epsilon, share }: Sizes & { share: number },
) {
  const { x, dy, gamma, mean, variance, dGamma, dBeta } = operands;
  const dx = x.map((value, i) => {
    const c = i % width;
    const inverse = inverseOf(variance[c]!, epsilon);
    const scale = f(gamma[c]! * inverse);
    const along = f(f(inverse * dGamma[c]!) * f(share));
    const offset = f(dBeta[c]! * f(share));
    return scale * f(f(dy[i]! - offset) - f(along * f(value - mean[c]!)));
  });
  return { dx };
}
