// The functions of backend-wasm/assembly/math.ts, operation by operation.
#ifndef FUNCTIONS_H
#define FUNCTIONS_H
#include "vector.h"

static const float ROUNDER = 12582912.f; // 1.5 * 2^23

/** That number near 1 which, times a power of two, is exp(x). */
INLINE V exp_of_rest(V x, V shifted) {
  const V n = shifted - splat(ROUNDER);
  const V r = fma_of(n, splat(2.1219444e-4f), x - n * splat(0.693359375f));
  V p = fma_of(splat(1.98756915e-4f), r, splat(1.3981999507e-3f));
  p = fma_of(p, r, splat(8.3334519073e-3f));
  p = fma_of(p, r, splat(4.1665795894e-2f));
  p = fma_of(p, r, splat(1.6666665459e-1f));
  p = fma_of(p, r, splat(5.0000001201e-1f));
  return fma_of(p, r * r, r) + splat(1);
}

INLINE V rounded_power(V x) { return fma_of(x, splat(1.44269504088896341f), splat(ROUNDER)); }

INLINE V exp_of(V x) {
  const V within = raw_min(splat(89), raw_max(splat(-104), x)), shifted = rounded_power(within);
  const VI power = sub_int(bits_of(shifted), bits_of(splat(ROUNDER))), bias = splat_int(127);
  const VI half = SHIFT_RIGHT_SIGNED(power, 1);
  const VI low = SHIFT_LEFT(add_int(half, bias), 23), high = SHIFT_LEFT(add_int(sub_int(power, half), bias), 23);
  return exp_of_rest(within, shifted) * floats_of(low) * floats_of(high);
}

INLINE V exp_up_to_40(V x) {
  const V within = raw_min(splat(40), x), shifted = rounded_power(within);
  const VI power = add_int(sub_int(bits_of(shifted), bits_of(splat(ROUNDER))), splat_int(127));
  return exp_of_rest(within, shifted) * floats_of(SHIFT_LEFT(power, 23));
}

INLINE V log_of(V x) {
  const MASK subnormal = less(x, splat(1.17549435e-38f));
  const VI bits = bits_of(choose(subnormal, x * splat(8388608), x));
  V e = convert(sub_int(SHIFT_RIGHT(bits, 23), splat_int(126)));
  e = e - keep_where(subnormal, splat(23));
  V m = floats_of(or_int(and_int(bits, splat_int(0x7fffff)), splat_int(0x3f000000)));
  const MASK low = less(m, splat(0.707106781186547524f));
  e = e - keep_where(low, splat(1));
  m = m + keep_where(low, m) - splat(1);
  const V z = m * m;
  V y = splat(7.0376836292e-2f);
  y = y * m - splat(1.151461031e-1f);
  y = y * m + splat(1.167699874e-1f);
  y = y * m - splat(1.2420140846e-1f);
  y = y * m + splat(1.4249322787e-1f);
  y = y * m - splat(1.6668057665e-1f);
  y = y * m + splat(2.0000714765e-1f);
  y = y * m - splat(2.4999993993e-1f);
  y = y * m + splat(3.3333331174e-1f);
  y = y * m * z;
  y = y - e * splat(2.1219444e-4f);
  y = y - z * splat(0.5f);
  V result = m + y + e * splat(0.693359375f);
  result = choose(equal(x, zero()), splat(-__builtin_inff()), result);
  result = choose(less(x, zero()), splat(__builtin_nanf("")), result);
  return choose(less(x, splat(__builtin_inff())), result, x);
}

INLINE V sigmoid_of(V x) { return splat(1) / (splat(1) + exp_of(negated(x))); }

INLINE V tanh_of(V x) {
  const V one = splat(1), size = size_of(x), z = x * x;
  V p = fma_of(splat(-5.70498872745e-3f), z, splat(2.06390887954e-2f));
  p = fma_of(p, z, splat(-5.37397155531e-2f));
  p = fma_of(p, z, splat(1.33314422036e-1f));
  p = fma_of(p, z, splat(-3.33332819422e-1f));
  const V near = fma_of(p * z, x, x);
  const V rest = (one + one) / (exp_up_to_40(size + size) + one);
  const V far = floats_of(or_int(bits_of(one - rest), bits_of(sign_of(x))));
  return choose(less(size, splat(0.625f)), near, far);
}

INLINE V log1p_of(V x) {
  const V u = x + splat(1), lost = x - (u - splat(1));
  return log_of(u) + lost / u;
}

INLINE V softplus_of(V x) { return max_of(x, zero()) + log1p_of(exp_of(negated(size_of(x)))); }

INLINE V expm1_of(V x) {
  V p = splat(1.98412698e-4f);
  p = p * x + splat(1.3888889e-3f);
  p = p * x + splat(8.3333333e-3f);
  p = p * x + splat(4.1666668e-2f);
  p = p * x + splat(1.6666667e-1f);
  p = p * x + splat(0.5f);
  const V near = p * (x * x) + x;
  return choose(less(size_of(x), splat(0.4f)), near, exp_of(x) - splat(1));
}
#endif
