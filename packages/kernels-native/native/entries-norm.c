// Normalisation, with its gradients. See entries.h.
#include "entries.h"

void entry_layer_norm(Call *c) {
  Normalisation t = {.height = size_at(c, 6), .width = size_at(c, 7), .epsilon = float_at(c, 8)};
  const uint64_t height = (uint64_t)t.height, width = (uint64_t)t.width, size = times(height, width);
  t.x = floats_at(c, 0, size);
  t.gamma = floats_at(c, 1, width);
  t.beta = floats_at(c, 2, width);
  t.y = floats_at(c, 3, size);
  t.mean = floats_at(c, 4, height);
  t.variance = floats_at(c, 5, height);
  if (READY(c)) c->kernels->layer_norm(&t);
}

void entry_batch_norm(Call *c) {
  Normalisation t = {.height = size_at(c, 6), .width = size_at(c, 7), .epsilon = float_at(c, 8)};
  const uint64_t width = (uint64_t)t.width, size = times((uint64_t)t.height, width);
  t.x = floats_at(c, 0, size);
  t.gamma = floats_at(c, 1, width);
  t.beta = floats_at(c, 2, width);
  t.y = floats_at(c, 3, size);
  t.mean = floats_at(c, 4, width);
  t.variance = floats_at(c, 5, width);
  if (READY(c)) c->kernels->batch_norm(&t);
}

/** Where the mean and what is beside it have `statistics` numbers. */
static Normalisation norm_gradient(Call *c, int per_row) {
  Normalisation t = {.height = size_at(c, 8), .width = size_at(c, 9)};
  const uint64_t width = (uint64_t)t.width, size = times((uint64_t)t.height, width);
  const uint64_t statistics = per_row ? (uint64_t)t.height : width;
  t.x = floats_at(c, 0, size);
  t.dy = floats_at(c, 1, size);
  t.gamma = floats_at(c, 2, width);
  t.mean = floats_at(c, 3, statistics);
  t.variance = floats_at(c, 4, statistics);
  t.y = floats_at(c, 5, size);
  t.d_gamma = floats_at(c, 6, width);
  t.d_beta = floats_at(c, 7, width);
  return t;
}

void entry_layer_norm_gradient(Call *c) {
  const Normalisation t = norm_gradient(c, 1);
  if (READY(c)) c->kernels->layer_norm_gradient(&t);
}

void entry_batch_norm_gradient(Call *c) {
  Normalisation t = norm_gradient(c, 0);
  t.epsilon = float_at(c, 10);
  if (READY(c)) c->kernels->batch_norm_gradient(&t);
}
