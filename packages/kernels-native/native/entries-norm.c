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

/** The rows of sums that blocks of so many rows leave. */
static uint64_t sums_of(int height, int width, int rows) {
  return times(((uint64_t)height + (uint64_t)rows - 1) / (uint64_t)rows, (uint64_t)width);
}

void entry_layer_norm_gradient_rows(Call *c) {
  Normalisation t = {.height = size_at(c, 8), .width = size_at(c, 9)};
  const uint64_t height = (uint64_t)t.height, width = (uint64_t)t.width, size = times(height, width);
  const uint64_t sums = sums_of(t.height, t.width, BLOCK_LAYER_NORM);
  t.x = floats_at(c, 0, size);
  t.dy = floats_at(c, 1, size);
  t.gamma = floats_at(c, 2, width);
  t.mean = floats_at(c, 3, height);
  t.variance = floats_at(c, 4, height);
  t.y = floats_at(c, 5, size);
  t.d_gamma = floats_at(c, 6, sums);
  t.d_beta = floats_at(c, 7, sums);
  if (READY(c)) c->kernels->layer_norm_gradient_rows(&t);
}

void entry_block_sums(Call *c) {
  const int height = size_at(c, 2), width = size_at(c, 3);
  const float *x = floats_at(c, 0, times((uint64_t)height, (uint64_t)width));
  float *sums = floats_at(c, 1, sums_of(height, width, BLOCK_SUM));
  if (READY(c)) c->kernels->block_sums(x, sums, height, width);
}

void entry_block_squares(Call *c) {
  const int height = size_at(c, 3), width = size_at(c, 4);
  const float *x = floats_at(c, 0, times((uint64_t)height, (uint64_t)width)), *mean = floats_at(c, 1, (uint64_t)width);
  float *squares = floats_at(c, 2, sums_of(height, width, BLOCK_SUM));
  if (READY(c)) c->kernels->block_squares(x, mean, squares, height, width);
}

void entry_block_slopes(Call *c) {
  Normalisation t = {.height = size_at(c, 6), .width = size_at(c, 7), .epsilon = float_at(c, 8)};
  const uint64_t width = (uint64_t)t.width, size = times((uint64_t)t.height, width);
  const uint64_t sums = sums_of(t.height, t.width, BLOCK_SUM);
  t.x = floats_at(c, 0, size);
  t.dy = floats_at(c, 1, size);
  t.mean = floats_at(c, 2, width);
  t.variance = floats_at(c, 3, width);
  t.d_gamma = floats_at(c, 4, sums);
  t.d_beta = floats_at(c, 5, sums);
  if (READY(c)) c->kernels->block_slopes(&t);
}

void entry_join_blocks(Call *c) {
  const int count = size_at(c, 2), width = size_at(c, 3);
  const float *blocks = floats_at(c, 0, times((uint64_t)count, (uint64_t)width));
  float *out = floats_at(c, 1, (uint64_t)width);
  if (READY(c)) c->kernels->join_blocks(blocks, out, count, width, float_at(c, 4));
}

void entry_batch_norm_rows(Call *c) {
  Normalisation t = {.height = size_at(c, 6), .width = size_at(c, 7), .epsilon = float_at(c, 8)};
  const uint64_t width = (uint64_t)t.width, size = times((uint64_t)t.height, width);
  t.x = floats_at(c, 0, size);
  t.gamma = floats_at(c, 1, width);
  t.beta = floats_at(c, 2, width);
  t.mean = floats_at(c, 3, width);
  t.variance = floats_at(c, 4, width);
  t.y = floats_at(c, 5, size);
  if (READY(c)) c->kernels->batch_norm_rows(&t);
}

void entry_batch_norm_gradient_rows(Call *c) {
  Normalisation t = {.height = size_at(c, 8), .width = size_at(c, 9), .epsilon = float_at(c, 10), .share = float_at(c, 11)};
  const uint64_t width = (uint64_t)t.width, size = times((uint64_t)t.height, width);
  t.x = floats_at(c, 0, size);
  t.dy = floats_at(c, 1, size);
  t.gamma = floats_at(c, 2, width);
  t.mean = floats_at(c, 3, width);
  t.variance = floats_at(c, 4, width);
  t.d_gamma = floats_at(c, 5, width);
  t.d_beta = floats_at(c, 6, width);
  t.y = floats_at(c, 7, size);
  if (READY(c)) c->kernels->batch_norm_gradient_rows(&t);
}
