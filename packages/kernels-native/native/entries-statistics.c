// What there is to know about the numbers of a tensor. A double takes the room of two floats. See entries.h.
#include "entries.h"

void entry_sum_of_squares(Call *c) {
  const int n = size_at(c, 1);
  const float *x = floats_at(c, 0, (uint64_t)n);
  float *out = floats_at(c, 2, 2);
  if (READY(c)) c->kernels->sum_of_squares(x, n, out);
}

void entry_statistics(Call *c) {
  const int n = size_at(c, 1);
  const float *x = floats_at(c, 0, (uint64_t)n);
  float *out = floats_at(c, 2, 14);
  if (READY(c)) c->kernels->statistics(x, n, out);
}

void entry_movement(Call *c) {
  const int n = size_at(c, 2);
  const float *before = floats_at(c, 0, (uint64_t)n), *after = floats_at(c, 1, (uint64_t)n);
  float *out = floats_at(c, 3, 4);
  if (READY(c)) c->kernels->movement(before, after, n, out);
}
