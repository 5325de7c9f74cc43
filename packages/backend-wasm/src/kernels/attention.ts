import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const ATTENTION = 'HooklineAttention';
export const ATTENTION_GRADIENT = 'HooklineAttentionGradient';

/** [batch, time, heads * depth]; key and value may have another number of rows, value another depth. */
interface Operands {
  query: Tensor;
  key: Tensor;
  value: Tensor;
}

interface Attrs {
  heads: number;
  causal: boolean;
}

export const ATTENTION_KERNELS: readonly TrainingKernel[] = [
  // The result, and the weights [batch, heads, time, keys].
  kernel<Operands, Attrs>(ATTENTION, 'added', (context, { query, key, value }, { heads, causal }) => {
    const { batch, time, keys, depth, width, scale } = sizes(query, key, value, heads);
    const out = context.output([batch, time, heads * width]);
    const weights = context.output([batch, heads, time, keys]);
    const [q, k, v, to, w] = context.addresses(query, key, value, out, weights);
    // biome-ignore format: the order of attention.
    context.module.attention(q, k, v, to, w, batch, heads, time, keys, depth, width, scale, causal);
    return [out, weights];
  }),

  kernel<Operands & { weights: Tensor; dy: Tensor }, { heads: number }>(
    ATTENTION_GRADIENT,
    'added',
    (context, { query, key, value, weights, dy }, { heads }) => {
      const { batch, time, keys, depth, width, scale } = sizes(query, key, value, heads);
      const made = [query, key, value].map(({ shape }) => context.output(shape)) as [Tensor, Tensor, Tensor];
      const [q, k, v, w, d] = context.addresses(query, key, value, weights, dy);
      const [dq, dk, dv] = context.addresses(...made);
      const spare = context.scratch('attention', context.threads * time * keys);
      // biome-ignore format: the order of attentionGradient.
      context.module.attentionGradient(q, k, v, w, d, dq, dk, dv, spare, batch, heads, time, keys, depth, width, scale);
      return made;
    },
  ),
];

function sizes(query: Tensor, key: Tensor, value: Tensor, heads: number) {
  const [batch, time, all] = query.shape as [number, number, number];
  const depth = all / heads;
  return { batch, time, keys: key.shape[1]!, depth, width: value.shape[2]! / heads, scale: depth ** -0.5 };
}
