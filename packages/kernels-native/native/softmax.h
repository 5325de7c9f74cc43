// Softmax over rows, and its gradient: backend-wasm/assembly/softmax.ts. The sums keep its four lanes.
#ifndef SOFTMAX_H
#define SOFTMAX_H
#include "functions.h"

/** The largest of a row; NaN counts for nothing here, and shows in the sum instead. */
INLINE float largest_of(const float *x, int width) {
  float largest = -__builtin_inff(), lanes[LANES];
  V most = splat(largest);
  int c = 0;
  for (; c + LANES <= width; c += LANES) most = raw_max(load(x + c), most);
  store(lanes, most);
  for (int i = 0; i < LANES; i++) if (lanes[i] > largest) largest = lanes[i];
  for (; c < width; c++) if (x[c] > largest) largest = x[c];
  return largest;
}

INLINE void softmax_row(const float *x, float *out, int width, float largest) {
  const int fours = width & ~3;
  for (int c = 0; c < width; c += LANES) {
    const int n = smaller(LANES, width - c);
    store_up_to(out + c, exp_of(load_up_to(x + c, n) - splat(largest)), n);
  }
  __m128 sums = _mm_setzero_ps();
  float rest = 0;
  for (int c = 0; c < fours; c += 4) sums = _mm_add_ps(sums, _mm_loadu_ps(out + c));
  for (int c = fours; c < width; c++) rest += out[c];
  const V total = splat(rest + sum_of_four(sums));
  for (int c = 0; c < width; c += LANES) {
    const int n = smaller(LANES, width - c);
    store_up_to(out + c, load_up_to(out + c, n) / total, n);
  }
}

static void ISA(softmax)(const float *x, float *out, int height, int width) {
  for (int r = 0; r < height; r++, x += width, out += width) softmax_row(x, out, width, largest_of(x, width));
}

/** dx = (dy - sum(dy * y)) * y */
static void ISA(softmax_gradient)(const float *dy, const float *y, float *out, int height, int width) {
  const int fours = width & ~3;
  for (int r = 0; r < height; r++, dy += width, y += width, out += width) {
    __m128 sums = _mm_setzero_ps();
    float rest = 0;
    for (int c = 0; c < fours; c += 4) sums = _mm_fmadd_ps(_mm_loadu_ps(dy + c), _mm_loadu_ps(y + c), sums);
    for (int c = fours; c < width; c++) rest += dy[c] * y[c];
    const V total = splat(rest + sum_of_four(sums));
    for (int c = 0; c < width; c += LANES) {
      const int n = smaller(LANES, width - c);
      store_up_to(out + c, (load_up_to(dy + c, n) - total) * load_up_to(y + c, n), n);
    }
  }
}
#endif
