// Functions of single numbers and of rows, sums, and the step of Adam. See entries.h.
#include "entries.h"

void entry_unary(Call *c) {
  const int code = step_at(c, 0), n = size_at(c, 3);
  const float *x = floats_at(c, 1, (uint64_t)n);
  float *out = floats_at(c, 2, (uint64_t)n);
  decline_unless(c, code < 20);
  if (READY(c)) c->kernels->unary(code, x, out, n, float_at(c, 4), float_at(c, 5));
}

void entry_binary(Call *c) {
  const int code = step_at(c, 0);
  const Broadcast s = {.n = {size_at(c, 4), size_at(c, 5), size_at(c, 6)}, .a = {step_at(c, 7), step_at(c, 8), flag_at(c, 9)}, .b = {step_at(c, 10), step_at(c, 11), flag_at(c, 12)}};
  uint64_t reach_a = 1, reach_b = 1;
  for (int i = 0; i < 3; i++) {
    const uint64_t last = s.n[i] > 0 ? (uint64_t)s.n[i] - 1 : 0;
    reach_a = plus(reach_a, times(last, (uint64_t)s.a[i]));
    // One of the two moves along the last axis.
    reach_b = plus(reach_b, times(last, i == 2 && !s.a[2] ? 1 : (uint64_t)s.b[i]));
  }
  const float *a = floats_at(c, 1, reach_a), *b = floats_at(c, 2, reach_b);
  float *out = floats_at(c, 3, TIMES3((uint64_t)s.n[0], (uint64_t)s.n[1], (uint64_t)s.n[2]));
  decline_unless(c, code < 13);
  if (READY(c)) c->kernels->binary(code, a, b, out, &s);
}

void entry_softmax(Call *c) {
  const int height = size_at(c, 2), width = size_at(c, 3);
  const uint64_t size = times((uint64_t)height, (uint64_t)width);
  const float *x = floats_at(c, 0, size);
  float *out = floats_at(c, 1, size);
  if (READY(c)) c->kernels->softmax(x, out, height, width);
}

void entry_softmax_gradient(Call *c) {
  const int height = size_at(c, 3), width = size_at(c, 4);
  const uint64_t size = times((uint64_t)height, (uint64_t)width);
  const float *dy = floats_at(c, 0, size), *y = floats_at(c, 1, size);
  float *out = floats_at(c, 2, size);
  if (READY(c)) c->kernels->softmax_gradient(dy, y, out, height, width);
}

void entry_sum(Call *c) {
  const int outer = size_at(c, 2), count = size_at(c, 3), inner = size_at(c, 4);
  const uint64_t results = times((uint64_t)outer, (uint64_t)inner);
  const float *x = floats_at(c, 0, times(results, (uint64_t)count));
  float *out = floats_at(c, 1, results);
  if (READY(c)) c->kernels->sum(x, out, outer, count, inner, float_at(c, 5));
}

void entry_activation_gradient(Call *c) {
  const int code = step_at(c, 0), height = size_at(c, 5), width = size_at(c, 6);
  // Without an activation there are only the sums.
  const uint64_t size = times((uint64_t)height, (uint64_t)width), used = code ? size : 0;
  const float *dy = floats_at(c, 1, size), *y = floats_at(c, 2, used);
  float *dz = floats_at(c, 3, used), *bias = floats_or_none(c, 4, (uint64_t)width);
  decline_unless(c, code < 6);
  if (READY(c)) c->kernels->activation_gradient(code, dy, y, dz, bias, height, width);
}

void entry_adam(Call *c) {
  Adam t = {.n = size_at(c, 4), .beta1 = float_at(c, 5), .rest1 = float_at(c, 6), .beta2 = float_at(c, 7), .rest2 = float_at(c, 8), .epsilon = float_at(c, 9), .size = float_at(c, 10), .decay = float_at(c, 11), .keep = float_at(c, 12)};
  t.p = floats_at(c, 0, (uint64_t)t.n);
  t.m = floats_at(c, 1, (uint64_t)t.n);
  t.v = floats_at(c, 2, (uint64_t)t.n);
  t.g = floats_at(c, 3, (uint64_t)t.n);
  if (READY(c)) c->kernels->adam(&t);
}
