import { BATCH_NORM_ROWS, blocksOf, LAYER_NORM_ROWS } from '../../src/kernels/blocks.js';
import type { Plain, PlainMemory } from './plain-memory.js';
import { total } from './plain-products.js';

export const PLAIN_NORMS: Readonly<Record<string, Plain>> = {
  blockSums: (memory, x, sums, height, width) => {
    eachBlock(height!, BATCH_NORM_ROWS, (block, rows) => {
      for (let c = 0; c < width!; c++)
        memory.put(sums!, block * width! + c, sumOf(rows.map((r) => memory.get(x!, r * width! + c))));
    });
  },

  blockSquares: (memory, x, mean, squares, height, width) => {
    eachBlock(height!, BATCH_NORM_ROWS, (block, rows) => {
      for (let c = 0; c < width!; c++) {
        const distances = rows.map((r) => memory.get(x!, r * width! + c) - memory.get(mean!, c));
        memory.put(squares!, block * width! + c, sumOf(distances.map((distance) => distance ** 2)));
      }
    });
  },

  joinBlocks: (memory, blocks, out, count, width, factor) => {
    for (let c = 0; c < width!; c++)
      memory.put(out!, c, factor! * total(count!, (block) => memory.get(blocks!, block * width! + c)));
  },

  batchNormRows: (memory, x, gamma, beta, mean, variance, y, height, width, epsilon) => {
    for (let i = 0; i < height! * width!; i++) {
      const c = i % width!;
      const normal = (memory.get(x!, i) - memory.get(mean!, c)) / deviation(memory, variance!, c, epsilon!);
      memory.put(y!, i, normal * memory.get(gamma!, c) + memory.get(beta!, c));
    }
  },

  blockSlopes: (memory, x, dy, mean, variance, dGammas, dBetas, height, width, epsilon) => {
    eachBlock(height!, BATCH_NORM_ROWS, (block, rows) => {
      for (let c = 0; c < width!; c++) {
        const arriving = rows.map((r) => memory.get(dy!, r * width! + c));
        const normal = rows.map(
          (r) =>
            (memory.get(x!, r * width! + c) - memory.get(mean!, c)) /
            deviation(memory, variance!, c, epsilon!),
        );
        memory.put(dBetas!, block * width! + c, sumOf(arriving));
        memory.put(dGammas!, block * width! + c, sumOf(arriving.map((d, r) => d * normal[r]!)));
      }
    });
  },

  // biome-ignore format: the order of batchNormGradientRows.
  batchNormGradientRows: (memory, x, dy, gamma, mean, variance, dGamma, dBeta, dx, height, width, epsilon, share) => {
    for (let i = 0; i < height! * width!; i++) {
      const c = i % width!;
      const inverse = 1 / deviation(memory, variance!, c, epsilon!);
      const normal = (memory.get(x!, i) - memory.get(mean!, c)) * inverse;
      const meanSlope = share! * (memory.get(dBeta!, c) + normal * memory.get(dGamma!, c));
      memory.put(dx!, i, memory.get(gamma!, c) * inverse * (memory.get(dy!, i) - meanSlope));
    }
  },

  moveAverage: (memory, average, value, moved, n, rate) => {
    for (let i = 0; i < n!; i++) {
      const before = memory.get(average!, i);
      memory.put(moved!, i, before * (1 - rate!) + memory.get(value!, i) * rate!);
    }
  },

  layerNorm: (memory, x, gamma, beta, y, mean, inverse, height, width, epsilon) => {
    for (let r = 0; r < height!; r++) {
      const row = matrix(memory, x!, width!, (c) => [r, c], width!);
      const { middle, spread } = moments(row);
      const scale = 1 / Math.sqrt(spread + epsilon!);
      memory.put(mean!, r, middle);
      memory.put(inverse!, r, scale);
      for (const [c, value] of row.entries())
        memory.put(
          y!,
          r * width! + c,
          (value - middle) * scale * memory.get(gamma!, c) + memory.get(beta!, c),
        );
    }
  },

  layerNormGradientRows: (memory, x, dy, gamma, mean, inverse, dx, dGammas, dBetas, height, width) => {
    for (let i = 0; i < blocksOf(height!, LAYER_NORM_ROWS) * width!; i++)
      for (const to of [dGammas!, dBetas!]) memory.put(to, i, 0);
    for (let r = 0; r < height!; r++) {
      const block = Math.floor(r / LAYER_NORM_ROWS);
      const scale = memory.get(inverse!, r);
      const row = (at: number) => matrix(memory, at, width!, (c) => [r, c], width!);
      const normal = row(x!).map((value) => (value - memory.get(mean!, r)) * scale);
      const arriving = row(dy!);
      const scaled = arriving.map((d, c) => d * memory.get(gamma!, c));
      const [sum, product] = [sumOf(scaled), sumOf(scaled.map((g, c) => g * normal[c]!))];
      for (const [c, g] of scaled.entries()) {
        memory.add(dGammas!, block * width! + c, arriving[c]! * normal[c]!);
        memory.add(dBetas!, block * width! + c, arriving[c]!);
        memory.put(dx!, r * width! + c, scale * (g - sum / width! - (normal[c]! * product) / width!));
      }
    }
  },

  sumOfSquares: (memory, x, n, out) =>
    memory.putDouble(
      out!,
      0,
      total(n!, (i) => memory.get(x!, i) ** 2),
    ),

  allFinite: (memory, x, n) =>
    Array.from({ length: n! }, (_, i) => memory.get(x!, i)).every(Number.isFinite) ? 1 : 0,

  statistics: (memory, x, n, out) => {
    const values = Array.from({ length: n! }, (_, i) => memory.get(x!, i));
    const { middle, spread } = moments(values);
    const zeros = values.filter((value) => value === 0).length;
    const squares = sumOf(values.map((value) => value * value));
    const all = [squares, n!, zeros, Math.min(...values), Math.max(...values), middle * n!, spread * n!];
    for (const [i, value] of all.entries()) memory.putDouble(out!, i, value);
  },

  movement: (memory, before, after, n, out) => {
    memory.putDouble(
      out!,
      0,
      total(n!, (i) => memory.get(before!, i) ** 2),
    );
    memory.putDouble(
      out!,
      1,
      total(n!, (i) => (memory.get(after!, i) - memory.get(before!, i)) ** 2),
    );
  },
};

/** Blocks of so many rows: their numbers, and the rows of each. */
function eachBlock(height: number, size: number, visit: (block: number, rows: number[]) => void): void {
  const rows = Array.from({ length: height }, (_, r) => r);
  for (let block = 0; block < blocksOf(height, size); block++)
    visit(block, rows.slice(block * size, (block + 1) * size));
}

function deviation(memory: PlainMemory, variance: number, column: number, epsilon: number): number {
  return Math.sqrt(memory.get(variance, column) + epsilon);
}

function matrix(
  memory: PlainMemory,
  at: number,
  width: number,
  place: (index: number) => [row: number, column: number],
  count: number,
): number[] {
  return Array.from({ length: count }, (_, index) => {
    const [row, column] = place(index);
    return memory.get(at, row * width + column);
  });
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function moments(values: readonly number[]): { middle: number; spread: number } {
  const middle = sumOf(values) / values.length;
  return { middle, spread: sumOf(values.map((value) => (value - middle) ** 2)) / values.length };
}
