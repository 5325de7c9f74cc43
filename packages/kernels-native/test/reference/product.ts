import { fused } from '../support/fused.js';
import { relu } from './relu.js';

/** After so many k the sum of a product starts from 0 again. */
const BLOCK_DEPTH = 256;

export interface ProductSizes {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly rowA?: number;
  readonly transposeA?: boolean;
  readonly rowB?: number;
  readonly transposeB?: boolean;
  readonly rowOut?: number;
}

export interface ProductFinish {
  /** What the product is added to. */
  readonly out?: Float32Array;
  readonly bias?: Float32Array;
  readonly relu?: boolean;
}

/** a times b, whose rows may lie further apart than they are long. What lies between rows of the result is left. */
export function product(
  a: Float32Array,
  b: Float32Array,
  sizes: ProductSizes,
  { out, bias, relu: isRelu = false }: ProductFinish = {},
): Float32Array {
  const { m, n, k, transposeA = false, transposeB = false } = sizes;
  const { rowA = transposeA ? m : k, rowB = transposeB ? k : n, rowOut = n } = sizes;
  const result = out?.slice() ?? new Float32Array((m - 1) * rowOut + n);
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let total = out?.[i * rowOut + j];
      for (let k0 = 0; k0 < k; k0 += BLOCK_DEPTH) {
        let sum = 0;
        for (let at = k0; at < Math.min(k, k0 + BLOCK_DEPTH); at++) {
          const left = a[transposeA ? at * rowA + i : i * rowA + at]!;
          sum = fused(left, b[transposeB ? j * rowB + at : at * rowB + j]!, sum);
        }
        total = total === undefined ? sum : Math.fround(total + sum);
      }
      if (bias) total = Math.fround(total! + bias[j]!);
      result[i * rowOut + j] = isRelu ? relu(total!) : total!;
    }
  }
  return result;
}

/** Over time, the last step first: each product is complete before it is added. */
export function sumOfProducts(
  a: Float32Array,
  b: Float32Array,
  sizes: { rowA: number; rowB: number; time: number; batch: number; m: number; n: number },
): Float32Array {
  const { rowA, rowB, time, batch, m, n } = sizes;
  let total: Float32Array | undefined;
  for (let t = time - 1; t >= 0; t--) {
    const step = product(a.subarray(t * batch * rowA), b.subarray(t * batch * rowB), {
      ...{ m, n, k: batch, rowA, rowB },
      transposeA: true,
    });
    total = total ? total.map((each, i) => each + step[i]!) : step;
  }
  return total!;
}
