// Products, and sums of products over time. See entries.h.
#include "entries.h"

static void read_product(Call *c, Product *p, const int places[3]) {
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
  p->a = floats_at(c, places[0], p->transpose_a ? reach(p->k, (uint64_t)p->row_a, m) : reach(p->m, (uint64_t)p->row_a, k));
  p->b = floats_at(c, places[1], p->transpose_b ? reach(p->n, (uint64_t)p->row_b, k) : reach(p->k, (uint64_t)p->row_b, n));
  p->out = floats_at(c, places[2], reach(p->m, (uint64_t)p->row_out, n));
}

void entry_mat_mul(Call *c) {
  Product p = {.transpose_a = flag_at(c, 1), .transpose_b = flag_at(c, 3), .m = size_at(c, 5), .n = size_at(c, 6), .k = size_at(c, 7), .relu = flag_at(c, 9)};
  const int batch = size_at(c, 10), batch_a = step_at(c, 11), batch_b = step_at(c, 12);
  const uint64_t m = (uint64_t)p.m, n = (uint64_t)p.n, k = (uint64_t)p.k;
  p.row_a = p.transpose_a ? p.m : p.k;
  p.row_b = p.transpose_b ? p.k : p.n;
  p.row_out = p.n;
  p.a = floats_at(c, 0, reach(batch, (uint64_t)batch_a, times(m, k)));
  p.b = floats_at(c, 2, reach(batch, (uint64_t)batch_b, times(k, n)));
  p.out = floats_at(c, 4, TIMES3((uint64_t)batch, m, n));
  p.bias = floats_or_none(c, 8, n);
  for (int i = 0; i < batch && READY(c); i++) {
    if (!c->kernels->product(c->scratch, &p)) c->declined = 1;
    p.a += batch_a;
    p.b += batch_b;
    p.out += (long)p.m * p.n;
  }
}

void entry_product_part(Call *c) {
  Product p = {.row_a = step_at(c, 1), .transpose_a = flag_at(c, 2), .row_b = step_at(c, 4), .transpose_b = flag_at(c, 5), .row_out = step_at(c, 7), .m = size_at(c, 8), .n = size_at(c, 9), .k = size_at(c, 10), .relu = flag_at(c, 12), .add = flag_at(c, 13)};
  // The rows of the result would overlap: what is in them would depend on the size of a tile.
  if (p.m > 1 && p.row_out < p.n && !c->wrong) c->wrong = 7 + 1;
  read_product(c, &p, (const int[]){0, 3, 6});
  p.bias = floats_or_none(c, 11, (uint64_t)p.n);
  if (READY(c)) c->declined = !c->kernels->product(c->scratch, &p);
}

void entry_product(Call *c) {
  Product p = {.row_a = step_at(c, 1), .transpose_a = flag_at(c, 2), .row_b = step_at(c, 4), .transpose_b = flag_at(c, 5), .m = size_at(c, 7), .n = size_at(c, 8), .k = size_at(c, 9), .relu = flag_at(c, 11), .add = flag_at(c, 12)};
  p.row_out = p.n;
  read_product(c, &p, (const int[]){0, 3, 6});
  p.bias = floats_or_none(c, 10, (uint64_t)p.n);
  if (READY(c)) c->declined = !c->kernels->product(c->scratch, &p);
}

void entry_sum_of_products(Call *c) {
  const int time = size_at(c, 6), batch = size_at(c, 7);
  Product p = {.row_a = step_at(c, 1), .transpose_a = 1, .row_b = step_at(c, 3), .m = size_at(c, 8), .n = size_at(c, 9), .k = batch};
  const uint64_t steps = times((uint64_t)time, (uint64_t)batch);
  p.row_out = p.n;
  p.a = floats_at(c, 0, steps > 0 ? plus(times(steps - 1, (uint64_t)p.row_a), (uint64_t)p.m) : 0);
  p.b = floats_at(c, 2, steps > 0 ? plus(times(steps - 1, (uint64_t)p.row_b), (uint64_t)p.n) : 0);
  p.out = floats_at(c, 4, times((uint64_t)p.m, (uint64_t)p.n));
  if (READY(c)) c->declined = !c->kernels->sum_of_products(c->scratch, &p, time);
}
