import type { Plain, PlainMemory } from './plain-memory.js';
import { total } from './plain-products.js';

export const PLAIN_NORMS: Readonly<Record<string, Plain>> = {
  batchNorm: (memory, x, gamma, beta, y, mean, variance, height, width, epsilon) => {
    for (let c = 0; c < width!; c++) {
      const column = matrix(memory, x!, width!, (r) => [r, c], height!);
      const { middle, spread } = moments(column);
      memory.put(mean!, c, middle);
      memory.put(variance!, c, spread);
      for (const [r, value] of column.entries()) {
        const normal = (value - middle) / Math.sqrt(spread + epsilon!);
        memory.put(y!, r * width! + c, normal * memory.get(gamma!, c) + memory.get(beta!, c));
      }
    }
  },

  batchNormGradient: (memory, x, dy, gamma, mean, variance, dx, dGamma, dBeta, height, width, epsilon) => {
    for (let c = 0; c < width!; c++) {
      const inverse = 1 / Math.sqrt(memory.get(variance!, c) + epsilon!);
      const column = (at: number) => matrix(memory, at, width!, (r) => [r, c], height!);
      const normal = column(x!).map((value) => (value - memory.get(mean!, c)) * inverse);
      const arriving = column(dy!);
      const [sum, product] = [sumOf(arriving), sumOf(arriving.map((d, r) => d * normal[r]!))];
      memory.put(dBeta!, c, sum);
      memory.put(dGamma!, c, product);
      const scale = memory.get(gamma!, c) * inverse;
      for (const [r, d] of arriving.entries())
        memory.put(dx!, r * width! + c, scale * (d - sum / height! - (normal[r]! * product) / height!));
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

  layerNormGradient: (memory, x, dy, gamma, mean, inverse, dx, dGamma, dBeta, height, width) => {
    for (let c = 0; c < width!; c++) for (const to of [dGamma!, dBeta!]) memory.put(to, c, 0);
    for (let r = 0; r < height!; r++) {
      const scale = memory.get(inverse!, r);
      const row = (at: number) => matrix(memory, at, width!, (c) => [r, c], width!);
      const normal = row(x!).map((value) => (value - memory.get(mean!, r)) * scale);
      const arriving = row(dy!);
      const scaled = arriving.map((d, c) => d * memory.get(gamma!, c));
      const [sum, product] = [sumOf(scaled), sumOf(scaled.map((g, c) => g * normal[c]!))];
      for (const [c, g] of scaled.entries()) {
        memory.add(dGamma!, c, arriving[c]! * normal[c]!);
        memory.add(dBeta!, c, arriving[c]!);
        memory.put(dx!, r * width! + c, scale * (g - sum / width! - (normal[c]! * product) / width!));
      }
    }
  },

  sumOfSquares: (memory, x, n) => total(n!, (i) => memory.get(x!, i) ** 2),

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
