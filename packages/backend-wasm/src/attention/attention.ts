import * as tf from '@tensorflow/tfjs-core';
import { activeContext } from '../enabled.js';
import { canFuseForward } from '../engine/engine-state.js';
import { fusedOperation, runMany } from '../engine/operations.js';
import { BackendWasmError } from '../errors.js';
import { ATTENTION, ATTENTION_GRADIENT } from '../kernels/attention.js';

export interface AttentionOptions {
  /** How many heads lie side by side in the last axis; 1 when absent. */
  heads?: number;
  /** Whether a row sees only itself and earlier rows; false when absent. */
  causal?: boolean;
}

/**
 * softmax(query key^T / sqrt(depth)) value for each head: one operation on wasm; on other backends, and for gradients of
 * gradients, the same in several operations. `query` is [batch, time, heads * depth]; `key` and `value` may have another
 * number of rows.
 */
export function attention(
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  options: AttentionOptions = {},
): tf.Tensor3D {
  const { heads = 1, causal = false } = options;
  assertFit(query, key, value, heads, causal);
  const isEmpty = query.size === 0 || key.size === 0 || value.size === 0;
  const areFloats = [query, key, value].every(({ dtype }) => dtype === 'float32');
  if (isEmpty || !areFloats || !activeContext() || !canFuseForward())
    return composed(query, key, value, heads, causal);
  return fusedOperation(
    { query, key, value },
    (save) => {
      const [out, weights] = runMany(ATTENTION, { query, key, value }, { heads, causal });
      save([query, key, value, weights!]);
      return out!;
    },
    (dy, saved) => {
      const [q, k, v, weights] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
      const inputs = { query: q, key: k, value: v, weights, dy };
      const [dQuery, dKey, dValue] = runMany(ATTENTION_GRADIENT, inputs, { heads });
      return { query: () => dQuery!, key: () => dKey!, value: () => dValue! };
    },
  ) as tf.Tensor3D;
}

function composed(
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  heads: number,
  causal: boolean,
): tf.Tensor3D {
  return tf.tidy(() => {
    const [batch, time, all] = query.shape;
    const split = (x: tf.Tensor3D) =>
      tf.transpose(tf.reshape(x, [x.shape[0], x.shape[1], heads, x.shape[2] / heads]), [0, 2, 1, 3]);
    let scores = tf.mul(tf.matMul(split(query), split(key), false, true), (all / heads) ** -0.5);
    if (causal) {
      const places = tf.range(0, time);
      const isSeen = tf.lessEqual(tf.expandDims(places, 0), tf.expandDims(places, 1));
      scores = tf.where(isSeen, scores, tf.fill(scores.shape, Number.NEGATIVE_INFINITY));
    }
    const mixed = tf.matMul(tf.softmax(scores), split(value));
    return tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch, time, value.shape[2]]);
  });
}

function assertFit(
  query: tf.Tensor3D,
  key: tf.Tensor3D,
  value: tf.Tensor3D,
  heads: number,
  causal: boolean,
): void {
  const isThree = [query, key, value].every(({ rank }) => rank === 3);
  const fits =
    isThree &&
    query.shape[0] === key.shape[0] &&
    key.shape[0] === value.shape[0] &&
    key.shape[1] === value.shape[1] &&
    query.shape[2] === key.shape[2] &&
    (!causal || query.shape[1] === key.shape[1]);
  const divides =
    Number.isInteger(heads) && heads > 0 && [query, value].every((x) => x.shape[2]! % heads === 0);
  if (fits && divides) return;
  const shapes = [query, key, value].map(({ shape }) => `[${shape}]`).join(', ');
  throw new BackendWasmError(
    'UNSUPPORTED',
    `attention() got query, key and value of ${shapes} and ${heads} heads${causal ? ', causal' : ''}. Expected ` +
      '[batch, time, heads * depth], [batch, keys, heads * depth] and [batch, keys, heads * width]; with causal, time ' +
      'and keys must be equal.',
  );
}
