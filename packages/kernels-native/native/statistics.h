// What there is to know about the numbers of a tensor: backend-wasm/assembly/statistics.ts, with as many sums of doubles
// side by side: vectors of eight floats or four doubles, whatever the instruction set.
#ifndef STATISTICS_H
#define STATISTICS_H
#include "elementwise.h"

/** In the order in which they are written. */
typedef struct {
  double squares, finite, zeros, least, most, sum, deviations;
} Seven;

INLINE __m256d doubles(const float *x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
INLINE __m256d with_square(__m256d sum, __m256d v) { return _mm256_fmadd_pd(v, v, sum); }

INLINE double total_of(__m256d a, __m256d b) {
  double s[4];
  _mm256_storeu_pd(s, _mm256_add_pd(a, b));
  return s[0] + s[2] + (s[1] + s[3]);
}

static void ISA(sum_of_squares)(const float *x, int n, float *out) {
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
  int i = 0;
  for (; i + 16 <= n; i += 16) {
    a = with_square(a, doubles(x + i));
    b = with_square(b, doubles(x + i + 4));
    c = with_square(c, doubles(x + i + 8));
    d = with_square(d, doubles(x + i + 12));
  }
  double total = total_of(_mm256_add_pd(a, c), _mm256_add_pd(b, d));
  for (; i < n; i++) total += (double)x[i] * (double)x[i];
  memcpy(out, &total, sizeof total);
}

/** Of two zeros either may be the smallest: what is kept has no sign. */
INLINE void note(Seven *t, double least, double most, double finite, double zeros) {
  t->finite += finite;
  t->zeros += zeros;
  t->least = (least < t->least ? least : t->least) + 0;
  t->most = (most > t->most ? most : t->most) + 0;
}

INLINE void add_one(Seven *t, double value) {
  t->squares += value * value;
  t->sum += value;
  note(t, value, value, 1, value == 0);
}

INLINE Seven nothing(void) { return (Seven){.least = __builtin_inf(), .most = -__builtin_inf()}; }

/** The first six, where all values are finite. */
INLINE Seven all_of(const float *x, int n) {
  Seven t = nothing();
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
  __m256 least = _mm256_set1_ps(__builtin_inff()), most = _mm256_set1_ps(-__builtin_inff());
  __m256i zeros = _mm256_setzero_si256();
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256 v = _mm256_loadu_ps(x + i);
    least = _mm256_min_ps(least, v);
    most = _mm256_max_ps(most, v);
    // A mask, as an integer, is -1.
    zeros = _mm256_sub_epi32(zeros, _mm256_castps_si256(_mm256_cmp_ps(v, _mm256_setzero_ps(), _CMP_EQ_OQ)));
    const __m256d p = doubles(x + i), q = doubles(x + i + 4);
    a = with_square(a, p);
    b = with_square(b, q);
    c = _mm256_add_pd(c, p);
    d = _mm256_add_pd(d, q);
  }
  t.squares = total_of(a, b);
  t.sum = total_of(c, d);
  float lows[8], highs[8];
  int32_t counts[8];
  _mm256_storeu_ps(lows, least);
  _mm256_storeu_ps(highs, most);
  _mm256_storeu_si256((__m256i *)counts, zeros);
  for (int lane = 0; lane < 8; lane++) note(&t, lows[lane], highs[lane], 0, counts[lane]);
  t.finite = i;
  for (; i < n; i++) add_one(&t, x[i]);
  return t;
}

/** All but the values are about the finite ones. */
INLINE double deviations_of(const float *x, int n, const Seven *t) {
  if (t->finite == 0) return 0;
  const double mean = t->sum / t->finite, rest = t->squares - mean * t->sum;
  if (rest > t->squares * 0.01) return rest;
  double total = 0;
  for (int i = 0; i < n; i++) {
    const double away = (double)x[i] - mean;
    if (__builtin_isfinite(x[i])) total += away * away;
  }
  return total;
}

static void ISA(statistics)(const float *x, int n, float *out) {
  Seven t = all_of(x, n);
  const double squares = t.squares;
  if (!__builtin_isfinite(squares)) {
    t = nothing();
    for (int i = 0; i < n; i++) if (__builtin_isfinite(x[i])) add_one(&t, x[i]);
  }
  t.deviations = deviations_of(x, n, &t);
  t.squares = squares;
  memcpy(out, &t, sizeof t);
}

static void ISA(movement)(const float *before, const float *after, int n, float *out) {
  __m256d a = _mm256_setzero_pd(), b = a, c = a, d = a;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256d p = doubles(before + i), q = doubles(before + i + 4);
    a = with_square(a, p);
    b = with_square(b, q);
    c = with_square(c, _mm256_sub_pd(doubles(after + i), p));
    d = with_square(d, _mm256_sub_pd(doubles(after + i + 4), q));
  }
  double found[2] = {total_of(a, b), total_of(c, d)};
  for (; i < n; i++) {
    const double old = before[i], way = (double)after[i] - old;
    found[0] += old * old;
    found[1] += way * way;
  }
  memcpy(out, found, sizeof found);
}
#endif
