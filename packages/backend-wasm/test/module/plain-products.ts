import type { Plain, PlainMemory } from './plain-memory.js';

/** A matrix in memory: [rows, columns], or its transpose. */
function element(
  memory: PlainMemory,
  at: number,
  row: number,
  transposed: number,
): (i: number, j: number) => number {
  return transposed ? (i, j) => memory.get(at, j * row + i) : (i, j) => memory.get(at, i * row + j);
}

/** The sum of f(0) to f(count - 1). */
export function total(count: number, f: (index: number) => number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += f(i);
  return sum;
}

// biome-ignore format: the order of productPart.
const productPart: Plain = (memory, a, rowA, transposeA, b, rowB, transposeB, out, rowOut, m, n, k, bias, relu, add) => {
  const [left, right] = [element(memory, a!, rowA!, transposeA!), element(memory, b!, rowB!, transposeB!)];
  for (let i = 0; i < m!; i++) {
    for (let j = 0; j < n!; j++) {
      const before = add ? memory.get(out!, i * rowOut! + j) : 0;
      const sum = before + total(k!, (d) => left(i, d) * right(d, j)) + (bias ? memory.get(bias, j) : 0);
      memory.put(out!, i * rowOut! + j, relu ? Math.max(sum, 0) : sum);
    }
  }
};

export const PLAIN_PRODUCTS: Readonly<Record<string, Plain>> = {
  productPart,

  // biome-ignore format: the order of product.
  product: (memory, a, rowA, transposeA, b, rowB, transposeB, out, m, n, k, bias, relu, add) =>
    productPart(memory, a!, rowA!, transposeA!, b!, rowB!, transposeB!, out!, n!, m!, n!, k!, bias!, relu!, add!),

  // biome-ignore format: the order of matMul.
  matMul: (memory, a, transposeA, b, transposeB, out, m, n, k, bias, relu, batch, batchA, batchB) => {
    const [rowA, rowB] = [transposeA ? m! : k!, transposeB ? k! : n!];
    for (let i = 0; i < batch!; i++) {
      const [left, right, to] = [a! + i * batchA! * 4, b! + i * batchB! * 4, out! + i * m! * n! * 4];
      productPart(memory, left, rowA, transposeA!, right, rowB, transposeB!, to, n!, m!, n!, k!, bias!, relu!, 0);
    }
  },

  sumOfProducts: (memory, a, rowA, b, rowB, out, spare, time, batch, m, n) => {
    memory.release(spare!, m! * n!);
    for (let i = 0; i < m!; i++) {
      for (let j = 0; j < n!; j++) {
        const sum = total(
          time! * batch!,
          (r) => memory.get(a!, r * rowA! + i) * memory.get(b!, r * rowB! + j),
        );
        memory.put(out!, i * n! + j, sum);
      }
    }
  },

  sumOfSums: (memory, x, out, spare, time, batch, n) => {
    memory.release(spare!, n!);
    for (let j = 0; j < n!; j++)
      memory.put(
        out!,
        j,
        total(time! * batch!, (r) => memory.get(x!, r * n! + j)),
      );
  },
};
