// The functions of the module that these kernels compute: the same names and the same order of arguments as in
// backend-wasm/src/module/exports.ts. Each reads its arguments, says how far each address reaches, and only then runs.
#include "call.h"

#define READY(call) (!(call)->wrong && !(call)->declined)

static void decline_unless(Call *c, int condition) {
  if (!condition) c->declined = 1;
}

static void read_product(Call *c, Product *p, const int places[3]) {
  const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
  p->a = floats_at(c, places[0], p->transpose_a ? reach(p->k, (uint64_t)p->row_a, m) : reach(p->m, (uint64_t)p->row_a, k));
  p->b = floats_at(c, places[1], p->transpose_b ? reach(p->n, (uint64_t)p->row_b, k) : reach(p->k, (uint64_t)p->row_b, n));
  p->out = floats_at(c, places[2], reach(p->m, (uint64_t)p->row_out, n));
}

static void mat_mul(Call *c) {
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

static void product_part(Call *c) {
  Product p = {.row_a = step_at(c, 1), .transpose_a = flag_at(c, 2), .row_b = step_at(c, 4), .transpose_b = flag_at(c, 5), .row_out = step_at(c, 7), .m = size_at(c, 8), .n = size_at(c, 9), .k = size_at(c, 10), .relu = flag_at(c, 12), .add = flag_at(c, 13)};
  read_product(c, &p, (const int[]){0, 3, 6});
  p.bias = floats_or_none(c, 11, (uint64_t)p.n);
  if (READY(c)) c->declined = !c->kernels->product(c->scratch, &p);
}

static void product(Call *c) {
  Product p = {.row_a = step_at(c, 1), .transpose_a = flag_at(c, 2), .row_b = step_at(c, 4), .transpose_b = flag_at(c, 5), .m = size_at(c, 7), .n = size_at(c, 8), .k = size_at(c, 9), .relu = flag_at(c, 11), .add = flag_at(c, 12)};
  p.row_out = p.n;
  read_product(c, &p, (const int[]){0, 3, 6});
  p.bias = floats_or_none(c, 10, (uint64_t)p.n);
  if (READY(c)) c->declined = !c->kernels->product(c->scratch, &p);
}

static void sum_of_products(Call *c) {
  const int time = size_at(c, 6), batch = size_at(c, 7);
  Product p = {.row_a = step_at(c, 1), .transpose_a = 1, .row_b = step_at(c, 3), .m = size_at(c, 8), .n = size_at(c, 9), .k = batch};
  const uint64_t steps = times((uint64_t)time, (uint64_t)batch);
  p.row_out = p.n;
  p.a = floats_at(c, 0, steps > 0 ? plus(times(steps - 1, (uint64_t)p.row_a), (uint64_t)p.m) : 0);
  p.b = floats_at(c, 2, steps > 0 ? plus(times(steps - 1, (uint64_t)p.row_b), (uint64_t)p.n) : 0);
  p.out = floats_at(c, 4, times((uint64_t)p.m, (uint64_t)p.n));
  if (READY(c)) c->declined = !c->kernels->sum_of_products(c->scratch, &p, time);
}

static Convolution convolution(Call *c) {
  return (Convolution){.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filters = size_at(c, 9), .filter_h = size_at(c, 10), .filter_w = size_at(c, 11), .stride_h = size_at(c, 12), .stride_w = size_at(c, 13), .dilation_h = size_at(c, 14), .dilation_w = size_at(c, 15)};
}

/** From the first pixel of padded images to the last one that a tap reaches. */
static uint64_t reach_of_taps(int n, int height, int width, int channels, int out_h, int out_w, int filter_h, int filter_w, int stride_h, int stride_w, int dilation_h, int dilation_w) {
  if (n == 0 || out_h == 0 || out_w == 0 || filter_h == 0 || filter_w == 0) return 0;
  const uint64_t row = plus(plus(times((uint64_t)n - 1, (uint64_t)height), times((uint64_t)out_h - 1, (uint64_t)stride_h)), times((uint64_t)filter_h - 1, (uint64_t)dilation_h));
  const uint64_t column = plus(times((uint64_t)out_w - 1, (uint64_t)stride_w), times((uint64_t)filter_w - 1, (uint64_t)dilation_w));
  return times(plus(plus(times(row, (uint64_t)width), column), 1), (uint64_t)channels);
}

static uint64_t reach_of_images(const Convolution *v) {
  return reach_of_taps(v->n, v->height, v->width, v->channels, v->out_height, v->out_width, v->filter_h, v->filter_w, v->stride_h, v->stride_w, v->dilation_h, v->dilation_w);
}

static void conv(Call *c) {
  Convolution v = convolution(c);
  const uint64_t filters = (uint64_t)v.filters, depth = TIMES3((uint64_t)v.filter_h, (uint64_t)v.filter_w, (uint64_t)v.channels);
  v.relu = flag_at(c, 17);
  v.x = floats_at(c, 0, reach_of_images(&v));
  v.filter = floats_at(c, 1, times(depth, (filters + 7) / 8 * 8));
  v.y = floats_at(c, 2, TIMES4((uint64_t)v.n, (uint64_t)v.out_height, (uint64_t)v.out_width, filters));
  v.bias = floats_or_none(c, 16, filters);
  if (READY(c)) c->declined = !c->kernels->conv(c->scratch, &v);
}

static void filter_gradient(Call *c, Convolution v) {
  const uint64_t filters = (uint64_t)v.filters;
  v.x = floats_at(c, 0, reach_of_images(&v));
  v.filter = floats_at(c, 1, TIMES4((uint64_t)v.n, (uint64_t)v.out_height, (uint64_t)v.out_width, filters));
  v.y = floats_at(c, 2, TIMES4((uint64_t)v.filter_h, (uint64_t)v.filter_w, (uint64_t)v.channels, filters));
  if (READY(c)) c->kernels->conv_filter_gradient(&v);
}

static void conv_filter_gradient(Call *c) {
  Convolution v = convolution(c);
  v.end = INT32_MAX;
  filter_gradient(c, v);
}

static void conv_filter_gradient_part(Call *c) {
  Convolution v = convolution(c);
  v.first = step_at(c, 16);
  v.end = step_at(c, 17);
  filter_gradient(c, v);
}

static Depthwise depthwise_geometry(Call *c) {
  Depthwise d = {.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filter_h = size_at(c, 9), .filter_w = size_at(c, 10), .stride_h = size_at(c, 11), .stride_w = size_at(c, 12), .dilation_h = size_at(c, 13), .dilation_w = size_at(c, 14), .top = whole_at(c, 15), .left = whole_at(c, 16)};
  // The taps of a pixel are listed in a table.
  decline_unless(c, times((uint64_t)d.filter_h, (uint64_t)d.filter_w) <= 4096);
  return d;
}

static uint64_t floats_inside(const Depthwise *d) { return TIMES4((uint64_t)d->n, (uint64_t)d->height, (uint64_t)d->width, (uint64_t)d->channels); }
static uint64_t floats_outside(const Depthwise *d) { return TIMES4((uint64_t)d->n, (uint64_t)d->out_height, (uint64_t)d->out_width, (uint64_t)d->channels); }
static uint64_t floats_of_filter(const Depthwise *d) { return TIMES3((uint64_t)d->filter_h, (uint64_t)d->filter_w, (uint64_t)d->channels); }

static void depthwise(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_inside(&d));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_outside(&d));
  d.bias = floats_or_none(c, 17, (uint64_t)d.channels);
  d.relu = flag_at(c, 18);
  if (READY(c)) c->kernels->depthwise(&d);
}

static void depthwise_input_gradient(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_outside(&d));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_inside(&d));
  if (READY(c)) c->kernels->depthwise_input_gradient(&d);
}

static void depthwise_filter_gradient(Call *c) {
  Depthwise d = depthwise_geometry(c);
  d.x = floats_at(c, 0, floats_inside(&d));
  d.filter = floats_at(c, 1, floats_outside(&d));
  d.y = floats_at(c, 2, floats_of_filter(&d));
  if (READY(c)) c->kernels->depthwise_filter_gradient(&d);
}

static void depthwise3x3(Call *c) {
  Depthwise d = {.n = size_at(c, 3), .height = size_at(c, 4), .width = size_at(c, 5), .channels = size_at(c, 6), .out_height = size_at(c, 7), .out_width = size_at(c, 8), .filter_h = 3, .filter_w = 3, .stride_h = size_at(c, 9), .stride_w = size_at(c, 10), .dilation_h = size_at(c, 11), .dilation_w = size_at(c, 12), .relu = flag_at(c, 14), .turned = flag_at(c, 15)};
  d.x = floats_at(c, 0, reach_of_taps(d.n, d.height, d.width, d.channels, d.out_height, d.out_width, 3, 3, d.stride_h, d.stride_w, d.dilation_h, d.dilation_w));
  d.filter = floats_at(c, 1, floats_of_filter(&d));
  d.y = floats_at(c, 2, floats_outside(&d));
  d.bias = floats_or_none(c, 13, (uint64_t)d.channels);
  if (READY(c)) c->kernels->depthwise3x3(&d);
}

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

static void attention(Call *c) {
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

static void attention_gradient(Call *c) {
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

static Recurrent recurrent(Call *c, int place) {
  return (Recurrent){.time = size_at(c, place), .batch = size_at(c, place + 1), .units = size_at(c, place + 2), .hard = flag_at(c, place + 3)};
}

static uint64_t one_state(const Recurrent *r) { return times((uint64_t)r->batch, (uint64_t)r->units); }
static uint64_t all_steps(const Recurrent *r) { return times((uint64_t)r->time, one_state(r)); }
static uint64_t weights_of(const Recurrent *r, uint64_t gates) { return TIMES3((uint64_t)r->units, (uint64_t)r->units, gates); }

static void lstm(Call *c) {
  Recurrent r = recurrent(c, 8);
  const uint64_t state = one_state(&r), steps = all_steps(&r);
  r.gates = floats_at(c, 0, times(4, steps));
  r.weights = floats_at(c, 1, weights_of(&r, 4));
  r.bias = floats_or_none(c, 2, times(4, (uint64_t)r.units));
  r.cells = floats_at(c, 3, plus(steps, state));
  r.hidden = floats_at(c, 4, plus(steps, state));
  r.squashed = floats_at(c, 5, steps);
  if (READY(c)) c->declined = !c->kernels->lstm(c->scratch, &r);
}

static void lstm_gradient(Call *c) {
  Recurrent r = recurrent(c, 9);
  const uint64_t state = one_state(&r), steps = all_steps(&r);
  r.gates = floats_at(c, 0, times(4, steps));
  r.weights = floats_at(c, 1, weights_of(&r, 4));
  r.cells = floats_at(c, 2, steps);
  r.squashed = floats_at(c, 3, steps);
  r.d_hidden = floats_at(c, 4, steps);
  r.dh = floats_at(c, 5, state);
  r.dc = floats_at(c, 6, state);
  r.d_gates = floats_at(c, 7, times(4, steps));
  if (READY(c)) c->declined = !c->kernels->lstm_gradient(c->scratch, &r);
}

static void gru(Call *c) {
  Recurrent r = recurrent(c, 6);
  const uint64_t state = one_state(&r), steps = all_steps(&r);
  r.gates = floats_at(c, 0, times(3, steps));
  r.weights = floats_at(c, 1, weights_of(&r, 2));
  r.candidate = floats_at(c, 2, weights_of(&r, 1));
  r.hidden = floats_at(c, 3, plus(steps, state));
  r.reset_hidden = floats_at(c, 4, steps);
  r.inner = floats_at(c, 5, times(2, state));
  if (READY(c)) c->declined = !c->kernels->gru(c->scratch, &r);
}

static void gru_gradient(Call *c) {
  Recurrent r = recurrent(c, 9);
  const uint64_t state = one_state(&r), steps = all_steps(&r);
  r.gates = floats_at(c, 0, times(3, steps));
  r.weights = floats_at(c, 1, weights_of(&r, 2));
  r.candidate = floats_at(c, 2, weights_of(&r, 1));
  r.hidden = floats_at(c, 3, plus(steps, state));
  r.d_hidden = floats_at(c, 4, steps);
  r.dh = floats_at(c, 5, state);
  r.d_gates = floats_at(c, 6, times(3, steps));
  r.inner = floats_at(c, 7, state);
  r.pair = floats_at(c, 8, state);
  if (READY(c)) c->declined = !c->kernels->gru_gradient(c->scratch, &r);
}

static void unary(Call *c) {
  const int code = step_at(c, 0), n = size_at(c, 3);
  const float *x = floats_at(c, 1, (uint64_t)n);
  float *out = floats_at(c, 2, (uint64_t)n);
  decline_unless(c, code < 20);
  if (READY(c)) c->kernels->unary(code, x, out, n, float_at(c, 4), float_at(c, 5));
}

static void binary(Call *c) {
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

static void softmax(Call *c) {
  const int height = size_at(c, 2), width = size_at(c, 3);
  const uint64_t size = times((uint64_t)height, (uint64_t)width);
  const float *x = floats_at(c, 0, size);
  float *out = floats_at(c, 1, size);
  if (READY(c)) c->kernels->softmax(x, out, height, width);
}

static void softmax_gradient(Call *c) {
  const int height = size_at(c, 3), width = size_at(c, 4);
  const uint64_t size = times((uint64_t)height, (uint64_t)width);
  const float *dy = floats_at(c, 0, size), *y = floats_at(c, 1, size);
  float *out = floats_at(c, 2, size);
  if (READY(c)) c->kernels->softmax_gradient(dy, y, out, height, width);
}

static void sum(Call *c) {
  const int outer = size_at(c, 2), count = size_at(c, 3), inner = size_at(c, 4);
  const uint64_t results = times((uint64_t)outer, (uint64_t)inner);
  const float *x = floats_at(c, 0, times(results, (uint64_t)count));
  float *out = floats_at(c, 1, results);
  if (READY(c)) c->kernels->sum(x, out, outer, count, inner, float_at(c, 5));
}

static void activation_gradient(Call *c) {
  const int code = step_at(c, 0), height = size_at(c, 5), width = size_at(c, 6);
  // Without an activation there are only the sums.
  const uint64_t size = times((uint64_t)height, (uint64_t)width), used = code ? size : 0;
  const float *dy = floats_at(c, 1, size), *y = floats_at(c, 2, used);
  float *dz = floats_at(c, 3, used), *bias = floats_or_none(c, 4, (uint64_t)width);
  decline_unless(c, code < 6);
  if (READY(c)) c->kernels->activation_gradient(code, dy, y, dz, bias, height, width);
}

static void layer_norm(Call *c) {
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

static void batch_norm(Call *c) {
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

static void layer_norm_gradient(Call *c) {
  const Normalisation t = norm_gradient(c, 1);
  if (READY(c)) c->kernels->layer_norm_gradient(&t);
}

static void batch_norm_gradient(Call *c) {
  Normalisation t = norm_gradient(c, 0);
  t.epsilon = float_at(c, 10);
  if (READY(c)) c->kernels->batch_norm_gradient(&t);
}

static void adam(Call *c) {
  Adam t = {.n = size_at(c, 4), .beta1 = float_at(c, 5), .rest1 = float_at(c, 6), .beta2 = float_at(c, 7), .rest2 = float_at(c, 8), .epsilon = float_at(c, 9), .size = float_at(c, 10), .decay = float_at(c, 11), .keep = float_at(c, 12)};
  t.p = floats_at(c, 0, (uint64_t)t.n);
  t.m = floats_at(c, 1, (uint64_t)t.n);
  t.v = floats_at(c, 2, (uint64_t)t.n);
  t.g = floats_at(c, 3, (uint64_t)t.n);
  if (READY(c)) c->kernels->adam(&t);
}

#define CONVOLUTION "n height width channels outHeight outWidth filters filterH filterW strideH strideW dilationH dilationW"
#define DEPTHWISE "n height width channels outHeight outWidth filterH filterW strideH strideW dilationH dilationW top left"

const Entry entries[] = {
  {"matMul", "a transposeA b transposeB out m n k bias relu batch batchA batchB", mat_mul},
  {"product", "a rowA transposeA b rowB transposeB out m n k bias relu add", product},
  {"productPart", "a rowA transposeA b rowB transposeB out rowOut m n k bias relu add", product_part},
  {"sumOfProducts", "a rowA b rowB out spare time batch m n", sum_of_products},
  {"conv", "x filter y " CONVOLUTION " bias relu", conv},
  {"convFilterGradient", "x dy out " CONVOLUTION, conv_filter_gradient},
  {"convFilterGradientPart", "x dy out " CONVOLUTION " first end", conv_filter_gradient_part},
  {"depthwise", "x filter y " DEPTHWISE " bias relu", depthwise},
  {"depthwise3x3", "x filter y n height width channels outHeight outWidth strideH strideW dilationH dilationW bias relu turned", depthwise3x3},
  {"depthwiseInputGradient", "dy filter dx " DEPTHWISE, depthwise_input_gradient},
  {"depthwiseFilterGradient", "x dy out " DEPTHWISE, depthwise_filter_gradient},
  {"attention", "query key value out weights batch heads time keys depth width scale causal", attention},
  {"attentionGradient", "query key value weights dy dQuery dKey dValue spare batch heads time keys depth width scale", attention_gradient},
  {"lstm", "gates weights bias cells hidden squashed inner packed time batch units hard", lstm},
  {"lstmGradient", "gates weights cells squashed dHidden dh dc dGates packed time batch units hard", lstm_gradient},
  {"gru", "gates weights candidate hidden resetHidden inner time batch units hard", gru},
  {"gruGradient", "gates weights candidate hidden dHidden dh dGates inner pair time batch units hard", gru_gradient},
  {"unary", "code x out n a b", unary},
  {"binary", "code a b out n0 n1 n2 a0 a1 a2 b0 b1 b2", binary},
  {"softmax", "x out height width", softmax},
  {"softmaxGradient", "dy y out height width", softmax_gradient},
  {"sum", "x out outer count inner factor", sum},
  {"activationGradient", "code dy y dz bias height width", activation_gradient},
  {"layerNorm", "x gamma beta y mean inverse height width epsilon", layer_norm},
  {"layerNormGradient", "x dy gamma mean inverse dx dGamma dBeta height width", layer_norm_gradient},
  {"batchNorm", "x gamma beta y mean variance height width epsilon", batch_norm},
  {"batchNormGradient", "x dy gamma mean variance dx dGamma dBeta height width epsilon", batch_norm_gradient},
  {"adam", "p m v g n beta1 rest1 beta2 rest2 epsilon size decay keep", adam},
};

const int entry_count = sizeof entries / sizeof *entries;
