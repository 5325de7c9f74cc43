// Functions of one and of two operands: backend-wasm/assembly/unary.ts, binary.ts and fused.ts, with their codes.
#ifndef ELEMENTWISE_H
#define ELEMENTWISE_H
#include "functions.h"
#include "kernels.h"

enum { UNARY_CODES = 20, BINARY_CODES = 13, SLOPE_CODES = 6 };

/** dy where the mask is set and 0 elsewhere, but NaN where y is. */
INLINE V masked(V dy, V y, MASK mask) {
  return choose(unordered(y, y), floats_of(splat_int(-1)), keep_where(mask, dy));
}

INLINE V unary_of(int code, V x, V a, V b) {
  switch (code) {
    case 0: return size_of(x);
    case 1: return negated(x);
    case 2: return x * x;
    case 3: return sqrt_of(x);
    case 4: return splat(1) / sqrt_of(x);
    case 5: return splat(1) / x;
    case 6: return exp_of(x);
    case 7: return log_of(x);
    case 8: return tanh_of(x);
    case 9: return sigmoid_of(x);
    case 10: return softplus_of(x);
    case 11: return relu_of(x);
    case 12: return min_of(relu_of(x), splat(6));
    case 13: return choose(less(x, zero()), x * a, x);
    case 14: return choose(less(x, zero()), expm1_of(x), x);
    case 15: return choose(less(x, zero()), b * expm1_of(x), a * x);
    case 16: return min_of(max_of(x, a), b);
    case 17: return choose(unordered(x, x), x, choose(less(zero(), x), splat(1), a));
    case 18: return keep_where(either(less(zero(), x), less(x, zero())), floats_of(or_int(bits_of(splat(1)), bits_of(sign_of(x)))));
    default: return sqrt_of(choose(equal(x, splat(-__builtin_inff())), splat(__builtin_inff()), x)) + zero();
  }
}

INLINE void each_unary(int code, const float *x, float *out, int n, float a, float b) {
  const V va = splat(a), vb = splat(b);
  int i = 0;
  for (; i + LANES <= n; i += LANES) store(out + i, unary_of(code, load(x + i), va, vb));
  if (i < n) store_up_to(out + i, unary_of(code, load_up_to(x + i, n - i), va, vb), n - i);
}

#define UNARY_CASE(code) case code: each_unary(code, x, out, n, a, b); break;
static void ISA(unary)(int code, const float *x, float *out, int n, float a, float b) {
  switch (code) {
    UNARY_CASE(0) UNARY_CASE(1) UNARY_CASE(2) UNARY_CASE(3) UNARY_CASE(4) UNARY_CASE(5) UNARY_CASE(6)
    UNARY_CASE(7) UNARY_CASE(8) UNARY_CASE(9) UNARY_CASE(10) UNARY_CASE(11) UNARY_CASE(12) UNARY_CASE(13)
    UNARY_CASE(14) UNARY_CASE(15) UNARY_CASE(16) UNARY_CASE(17) UNARY_CASE(18) UNARY_CASE(19)
  }
}

INLINE V binary_of(int code, V a, V b) {
  switch (code) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return max_of(a, b);
    case 5: return min_of(a, b);
    case 6: return (a - b) * (a - b);
    case 7: return choose(less(a, zero()), a * b, a);
    case 8: return masked(a, b, less(zero(), b));
    case 9: return a * (b * (splat(1) - b));
    case 10: return a * (splat(1) - b * b);
    case 11: return choose(greater_or_equal(b, zero()), a, a * (b + splat(1)));
    default: return masked(a, b, both(less(zero(), b), less(b, splat(6))));
  }
}

INLINE void row_of_binary(int code, const float *a, int a_moves, const float *b, int b_moves, float *out, int n) {
  const V same_a = splat(*a), same_b = splat(*b);
  int i = 0;
  for (; i + LANES <= n; i += LANES) store(out + i, binary_of(code, a_moves ? load(a + i) : same_a, b_moves ? load(b + i) : same_b));
  if (i == n) return;
  const MASK rest = first_lanes(n - i);
  const V left = a_moves ? load_some(a + i, rest) : same_a, right = b_moves ? load_some(b + i, rest) : same_b;
  store_some(out + i, rest, binary_of(code, left, right));
}

INLINE void each_binary(int code, const float *a, const float *b, float *out, const Broadcast *s) {
  for (long i = 0; i < s->n[0]; i++) {
    for (long j = 0; j < s->n[1]; j++, out += s->n[2]) {
      const float *p = a + i * s->a[0] + j * s->a[1], *q = b + i * s->b[0] + j * s->b[1];
      if (s->a[2] && s->b[2]) row_of_binary(code, p, 1, q, 1, out, s->n[2]);
      else if (s->a[2]) row_of_binary(code, p, 1, q, 0, out, s->n[2]);
      else row_of_binary(code, p, 0, q, 1, out, s->n[2]);
    }
  }
}

#define BINARY_CASE(code) case code: each_binary(code, a, b, out, s); break;
static void ISA(binary)(int code, const float *a, const float *b, float *out, const Broadcast *s) {
  switch (code) {
    BINARY_CASE(0) BINARY_CASE(1) BINARY_CASE(2) BINARY_CASE(3) BINARY_CASE(4) BINARY_CASE(5) BINARY_CASE(6)
    BINARY_CASE(7) BINARY_CASE(8) BINARY_CASE(9) BINARY_CASE(10) BINARY_CASE(11) BINARY_CASE(12)
  }
}

INLINE V slope_of(int code, V dy, V y) {
  switch (code) {
    case 1: return masked(dy, y, less(zero(), y));
    case 2: return dy * (y * (splat(1) - y));
    case 3: return dy * (splat(1) - y * y);
    case 4: return choose(greater_or_equal(y, zero()), dy, dy * (y + splat(1)));
    case 5: return masked(dy, y, both(less(zero(), y), less(y, splat(6))));
    default: return dy;
  }
}

INLINE void each_slope(int code, const float *dy, const float *y, float *dz, float *bias, int height, int width) {
  if (bias) memset(bias, 0, sizeof(float) * (size_t)width);
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM) {
    const int count = smaller(BLOCK_SUM, height - r0);
    for (int c = 0; c < width; c += LANES) {
      const int n = smaller(LANES, width - c);
      long at = (long)r0 * width + c;
      V sum = zero();
      for (int r = 0; r < count; r++, at += width) {
        V g = load_up_to(dy + at, n);
        if (code) {
          g = slope_of(code, g, load_up_to(y + at, n));
          store_up_to(dz + at, g, n);
        }
        sum = sum + g;
      }
      if (bias) store_up_to(bias + c, load_up_to(bias + c, n) + sum, n);
    }
  }
}

#define SLOPE_CASE(code) case code: each_slope(code, dy, y, dz, bias, height, width); break;
static void ISA(activation_gradient)(int code, const float *dy, const float *y, float *dz, float *bias, int height, int width) {
  switch (code) { SLOPE_CASE(0) SLOPE_CASE(1) SLOPE_CASE(2) SLOPE_CASE(3) SLOPE_CASE(4) SLOPE_CASE(5) }
}

INLINE V settled(V x) { return choose(less(size_of(x), splat(1.17549435e-38f)), zero(), x); }

/** backend-wasm/assembly/optimizer.ts: every product and every sum is rounded. */
static void ISA(adam)(const Adam *t) {
  for (int i = 0; i < t->n; i += LANES) {
    const int n = smaller(LANES, t->n - i);
    V value = load_up_to(t->p + i, n);
    V g = load_up_to(t->g + i, n);
    if (t->decay != 0) g = g + value * splat(t->decay);
    const V mean = settled(load_up_to(t->m + i, n) * splat(t->beta1) + g * splat(t->rest1));
    const V power = settled(load_up_to(t->v + i, n) * splat(t->beta2) + g * g * splat(t->rest2));
    store_up_to(t->m + i, mean, n);
    store_up_to(t->v + i, power, n);
    const V direction = mean / (sqrt_of(power) + splat(t->epsilon)) * splat(t->size);
    if (t->keep != 1) value = value * splat(t->keep);
    store_up_to(t->p + i, value - direction, n);
  }
}
#endif
