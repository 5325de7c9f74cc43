// Attention of several heads that lie side by side: backend-wasm/assembly/attention.ts.
#ifndef ATTENTION_H
#define ATTENTION_H
#include "product.h"
#include "softmax.h"

INLINE void scale_by(float *x, long n, float factor) {
  for (long i = 0; i < n; i += LANES) {
    const int count = n - i < LANES ? (int)(n - i) : LANES;
    store_up_to(x + i, load_up_to(x + i, count) * splat(factor), count);
  }
}

static int ISA(attention)(Scratch *scratch, const Attention *t) {
  float *room = scratch_take(scratch, PRODUCT_FLOATS), *weights = t->weights;
  if (!room) return 0;
  const long row_k = (long)t->heads * t->depth, row_v = (long)t->heads * t->width, size = (long)t->time * t->keys;
  for (long b = 0; b < t->batch; b++) {
    for (long h = 0; h < t->heads; h++, weights += size) {
      const float *q = t->query + b * t->time * row_k + h * t->depth, *k = t->key + b * t->keys * row_k + h * t->depth;
      const float *v = t->value + b * t->keys * row_v + h * t->width;
      float *out = t->out + b * t->time * row_v + h * t->width;
      ISA(multiply)(room, &(Product){q, row_k, 0, k, row_k, 1, weights, t->keys, t->time, t->keys, t->depth, 0, 0, 0});
      scale_by(weights, size, t->scale);
      for (int r = 0; r < t->time; r++) {
        float *row = weights + (long)r * t->keys;
        const int seen = t->causal ? r + 1 : t->keys;
        softmax_row(row, row, seen, largest_of(row, seen));
        if (seen < t->keys) memset(row + seen, 0, sizeof(float) * (size_t)(t->keys - seen));
      }
      ISA(multiply)(room, &(Product){weights, t->keys, 0, v, row_v, 0, out, row_v, t->time, t->width, t->keys, 0, 0, 0});
    }
  }
  return 1;
}

static int ISA(attention_gradient)(Scratch *scratch, const Attention *t) {
  float *room = scratch_take(scratch, PRODUCT_FLOATS);
  if (!room) return 0;
  const float *weights = t->weights;
  const long row_k = (long)t->heads * t->depth, row_v = (long)t->heads * t->width, size = (long)t->time * t->keys;
  const int time = t->time, keys = t->keys, depth = t->depth, width = t->width;
  for (long b = 0; b < t->batch; b++) {
    for (long h = 0; h < t->heads; h++, weights += size) {
      const long at_q = b * time * row_k + h * depth, at_k = b * keys * row_k + h * depth, at_v = b * keys * row_v + h * width;
      const float *d = t->dy + b * time * row_v + h * width;
      ISA(multiply)(room, &(Product){d, row_v, 0, t->value + at_v, row_v, 1, t->spare, keys, time, keys, width, 0, 0, 0});
      ISA(multiply)(room, &(Product){weights, keys, 1, d, row_v, 0, t->d_value + at_v, row_v, keys, width, time, 0, 0, 0});
      ISA(softmax_gradient)(t->spare, weights, t->spare, time, keys);
      scale_by(t->spare, size, t->scale);
      ISA(multiply)(room, &(Product){t->spare, keys, 0, t->key + at_k, row_k, 0, t->d_query + at_q, row_k, time, depth, keys, 0, 0, 0});
      ISA(multiply)(room, &(Product){t->spare, keys, 1, t->query + at_q, row_k, 0, t->d_key + at_k, row_k, keys, depth, time, 0, 0, 0});
    }
  }
  return 1;
}
#endif
