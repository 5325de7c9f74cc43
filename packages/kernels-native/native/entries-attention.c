// Attention and its gradient. See entries.h.
#include "entries.h"

/** The sizes from `place` on, and how many floats the operands have. */
typedef struct {
  uint64_t query, key, value, out, weights, one_head;
} AttentionSizes;

static AttentionSizes attention_sizes(Call *c, int place, Attention *t) {
  t->batch = size_at(c, place);
  t->heads = size_at(c, place + 1);
  t->time = size_at(c, place + 2);
  t->keys = size_at(c, place + 3);
  t->depth = size_at(c, place + 4);
  t->width = size_at(c, place + 5);
  t->scale = float_at(c, place + 6);
  const uint64_t pairs = times((uint64_t)t->batch, (uint64_t)t->heads);
  return (AttentionSizes){
    .query = TIMES3(pairs, (uint64_t)t->time, (uint64_t)t->depth),
    .key = TIMES3(pairs, (uint64_t)t->keys, (uint64_t)t->depth),
    .value = TIMES3(pairs, (uint64_t)t->keys, (uint64_t)t->width),
    .out = TIMES3(pairs, (uint64_t)t->time, (uint64_t)t->width),
    .weights = TIMES3(pairs, (uint64_t)t->time, (uint64_t)t->keys),
    .one_head = times((uint64_t)t->time, (uint64_t)t->keys),
  };
}

void entry_attention(Call *c) {
  Attention t = {.causal = flag_at(c, 12)};
  const AttentionSizes s = attention_sizes(c, 5, &t);
  // A row sees itself: there must be a key for it.
  decline_unless(c, !t.causal || t.time <= t.keys);
  t.query = floats_at(c, 0, s.query);
  t.key = floats_at(c, 1, s.key);
  t.value = floats_at(c, 2, s.value);
  t.out = floats_at(c, 3, s.out);
  t.weights = floats_at(c, 4, s.weights);
  if (READY(c)) c->declined = !c->kernels->attention(c->scratch, &t);
}

void entry_attention_gradient(Call *c) {
  Attention t = {0};
  const AttentionSizes s = attention_sizes(c, 9, &t);
  t.query = floats_at(c, 0, s.query);
  t.key = floats_at(c, 1, s.key);
  t.value = floats_at(c, 2, s.value);
  t.weights = floats_at(c, 3, s.weights);
  t.dy = floats_at(c, 4, s.out);
  t.d_query = floats_at(c, 5, s.query);
  t.d_key = floats_at(c, 6, s.key);
  t.d_value = floats_at(c, 7, s.value);
  t.spare = floats_at(c, 8, s.one_head);
  if (READY(c)) c->declined = !c->kernels->attention_gradient(c->scratch, &t);
}
