// Attention of several heads, which lie side by side in each row of its operands: [batch, time, heads * depth].
import { productPart } from './matmul';
import { largestOf, softmaxGradient, softmaxRow } from './softmax';
import { floats, splat } from './vector';

/**
 * out[batch, time, heads * width] = softmax(scale * query key^T) value, head by head. `key` and `value` have `keys` rows
 * in place of `time`. `weights` [batch, heads, time, keys] becomes the softmax. With `causal` a row sees no later ones.
 */
export function attention(
  query: usize, key: usize, value: usize, out: usize, weights: usize, batch: i32, heads: i32, time: i32, keys: i32,
  depth: i32, width: i32, scale: f32, causal: bool,
): void {
  const rowK = heads * depth, rowV = heads * width, size = floats(time * keys);
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++, weights += size) {
      const q = query + floats(b * time * rowK + h * depth), k = key + floats(b * keys * rowK + h * depth);
      const v = value + floats(b * keys * rowV + h * width), to = out + floats(b * time * rowV + h * width);
      productPart(q, rowK, false, k, rowK, true, weights, keys, time, keys, depth, 0, false, false);
      scaleBy(weights, time * keys, scale);
      for (let r = 0, row = weights; r < time; r++, row += floats(keys)) {
        const seen = causal ? r + 1 : keys;
        softmaxRow(row, row, seen, largestOf(row, seen));
        if (seen < keys) memory.fill(row + floats(seen), 0, floats(keys - seen));
      }
      productPart(weights, keys, false, v, rowV, false, to, rowV, time, width, keys, 0, false, false);
    }
  }
}

/** The gradients of query, key and value; `spare` has room for [time, keys]. What was not seen has a weight of 0. */
export function attentionGradient(
  query: usize, key: usize, value: usize, weights: usize, dy: usize, dQuery: usize, dKey: usize, dValue: usize,
  spare: usize, batch: i32, heads: i32, time: i32, keys: i32, depth: i32, width: i32, scale: f32,
): void {
  const rowK = heads * depth, rowV = heads * width, size = floats(time * keys);
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++, weights += size) {
      const atQ = floats(b * time * rowK + h * depth), atK = floats(b * keys * rowK + h * depth);
      const atV = floats(b * keys * rowV + h * width), d = dy + floats(b * time * rowV + h * width);
      productPart(d, rowV, false, value + atV, rowV, true, spare, keys, time, keys, width, 0, false, false);
      productPart(weights, keys, true, d, rowV, false, dValue + atV, rowV, keys, width, time, 0, false, false);
      softmaxGradient(spare, weights, spare, time, keys);
      scaleBy(spare, time * keys, scale);
      productPart(spare, keys, false, key + atK, rowK, false, dQuery + atQ, rowK, time, depth, keys, 0, false, false);
      productPart(spare, keys, true, query + atQ, rowK, false, dKey + atK, rowK, keys, depth, time, 0, false, false);
    }
  }
}

function scaleBy(x: usize, n: i32, factor: f32): void {
  const same = splat(factor);
  let i = 0;
  for (; i + 4 <= n; i += 4, x += 16) v128.store(x, f32x4.mul(v128.load(x), same));
  for (; i < n; i++, x += 4) store<f32>(x, load<f32>(x) * factor);
}
