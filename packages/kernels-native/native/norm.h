// Sums and normalisation: backend-wasm/assembly/reduce.ts, batch-norm.ts and layer-norm.ts. Sums across a row keep the four lanes of the
// module; the last one to three columns are multiplied and added with two roundings, as they are there.
#ifndef NORM_H
#define NORM_H
#include "elementwise.h"

static void ISA(sum_columns)(const float *x, float *out, int count, int inner) {
  memset(out, 0, sizeof(float) * (size_t)inner);
  for (int r0 = 0; r0 < count; r0 += BLOCK_SUM) {
    const int height = smaller(BLOCK_SUM, count - r0);
    int c = 0;
    for (; c + 4 * LANES <= inner; c += 4 * LANES) {
      const float *p = x + (long)r0 * inner + c;
      V s0 = zero(), s1 = zero(), s2 = zero(), s3 = zero();
      for (int r = 0; r < height; r++, p += inner) {
        s0 = s0 + load(p);
        s1 = s1 + load(p + LANES);
        s2 = s2 + load(p + 2 * LANES);
        s3 = s3 + load(p + 3 * LANES);
      }
      store(out + c, load(out + c) + s0);
      store(out + c + LANES, load(out + c + LANES) + s1);
      store(out + c + 2 * LANES, load(out + c + 2 * LANES) + s2);
      store(out + c + 3 * LANES, load(out + c + 3 * LANES) + s3);
    }
    for (; c < inner; c += LANES) {
      const int n = smaller(LANES, inner - c);
      const float *p = x + (long)r0 * inner + c;
      V s = zero();
      for (int r = 0; r < height; r++, p += inner) s = s + load_up_to(p, n);
      store_up_to(out + c, load_up_to(out + c, n) + s, n);
    }
  }
}

INLINE float sum_of_eight(__m256 v) { return sum_of_four(_mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1))); }

/** Partial sums of 512 floats, which are added as doubles. Four at a time: none waits for the others. */
static double ISA(sum_of_row)(const float *x, int count) {
  double total = 0;
  int c0 = 0;
  for (; c0 + 2048 <= count; c0 += 2048, x += 2048) {
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    for (int c = 0; c < 512; c += 8) {
      s0 = _mm256_add_ps(s0, _mm256_loadu_ps(x + c));
      s1 = _mm256_add_ps(s1, _mm256_loadu_ps(x + c + 512));
      s2 = _mm256_add_ps(s2, _mm256_loadu_ps(x + c + 1024));
      s3 = _mm256_add_ps(s3, _mm256_loadu_ps(x + c + 1536));
    }
    total += (double)sum_of_eight(s0);
    total += (double)sum_of_eight(s1);
    total += (double)sum_of_eight(s2);
    total += (double)sum_of_eight(s3);
  }
  for (; c0 < count; c0 += 512) {
    const int end = smaller(count, c0 + 512);
    __m256 s = _mm256_setzero_ps();
    int c = c0;
    for (; c + 8 <= end; c += 8, x += 8) s = _mm256_add_ps(s, _mm256_loadu_ps(x));
    for (; c < end; c++, x++) total += (double)*x;
    total += (double)sum_of_eight(s);
  }
  return total;
}

static void ISA(sum)(const float *x, float *out, int outer, int count, int inner, float factor) {
  for (int i = 0; i < outer; i++, x += (long)count * inner, out += inner) {
    if (inner == 1) {
      *out = (float)(ISA(sum_of_row)(x, count) * (double)factor);
      continue;
    }
    ISA(sum_columns)(x, out, count, inner);
    if (factor != 1) for (int c = 0; c < inner; c++) out[c] *= factor;
  }
}

static void ISA(layer_norm)(const Normalisation *t) {
  const int width = t->width, fours = width & ~3;
  const float *x = t->x;
  float *y = t->y;
  for (int r = 0; r < t->height; r++, x += width, y += width) {
    const float middle = (float)(ISA(sum_of_row)(x, width) / (double)width);
    __m128 sums = _mm_setzero_ps();
    float rest = 0;
    for (int c = 0; c < fours; c += 4) {
      const __m128 d = _mm_sub_ps(_mm_loadu_ps(x + c), _mm_set1_ps(middle));
      sums = _mm_fmadd_ps(d, d, sums);
    }
    for (int c = fours; c < width; c++) {
      const float d = x[c] - middle;
      rest += d * d;
    }
    const float scale = 1.f / __builtin_sqrtf((rest + sum_of_four(sums)) / (float)width + t->epsilon);
    t->mean[r] = middle;
    t->variance[r] = scale;
    for (int c = 0; c < fours; c += LANES) {
      const int n = smaller(LANES, fours - c);
      const V normal = (load_up_to(x + c, n) - splat(middle)) * splat(scale);
      store_up_to(y + c, fma_of(normal, load_up_to(t->gamma + c, n), load_up_to(t->beta + c, n)), n);
    }
    for (int c = fours; c < width; c++) y[c] = (x[c] - middle) * scale * t->gamma[c] + t->beta[c];
  }
}

/** t->variance is the inverse root that layer_norm has left. Each block of rows leaves a row of t->d_gamma and of t->d_beta. */
static void ISA(layer_norm_gradient_rows)(const Normalisation *t) {
  const int width = t->width, fours = width & ~3;
  const float share = 1.f / (float)width, *x = t->x, *dy = t->dy;
  float *dx = t->y, *d_gamma = t->d_gamma, *d_beta = t->d_beta;
  for (int r = 0; r < t->height; r++, x += width, dy += width, dx += width) {
    if (r % BLOCK_LAYER_NORM == 0) {
      if (r > 0) d_gamma += width, d_beta += width;
      memset(d_gamma, 0, sizeof(float) * (size_t)width);
      memset(d_beta, 0, sizeof(float) * (size_t)width);
    }
    const float middle = t->mean[r], scale = t->variance[r];
    __m128 sums = _mm_setzero_ps(), products = _mm_setzero_ps();
    float sum = 0, product = 0;
    for (int c = 0; c < fours; c += 4) {
      const __m128 d = _mm_loadu_ps(dy + c), g = _mm_mul_ps(d, _mm_loadu_ps(t->gamma + c));
      const __m128 normal = _mm_mul_ps(_mm_sub_ps(_mm_loadu_ps(x + c), _mm_set1_ps(middle)), _mm_set1_ps(scale));
      sums = _mm_add_ps(sums, g);
      products = _mm_fmadd_ps(g, normal, products);
    }
    for (int c = 0; c < fours; c += LANES) {
      const int n = smaller(LANES, fours - c);
      const V d = load_up_to(dy + c, n), normal = (load_up_to(x + c, n) - splat(middle)) * splat(scale);
      store_up_to(d_beta + c, load_up_to(d_beta + c, n) + d, n);
      store_up_to(d_gamma + c, fma_of(d, normal, load_up_to(d_gamma + c, n)), n);
    }
    for (int c = fours; c < width; c++) {
      const float normal = (x[c] - middle) * scale, g = dy[c] * t->gamma[c];
      sum += g;
      product += g * normal;
      d_beta[c] += dy[c];
      d_gamma[c] += dy[c] * normal;
    }
    const float a = (sum + sum_of_four(sums)) * share, b = (product + sum_of_four(products)) * share;
    for (int c = 0; c < width; c += LANES) {
      const int n = smaller(LANES, width - c);
      const V normal = (load_up_to(x + c, n) - splat(middle)) * splat(scale);
      const V g = load_up_to(dy + c, n) * load_up_to(t->gamma + c, n);
      store_up_to(dx + c, (g - splat(a) - normal * splat(b)) * splat(scale), n);
    }
  }
}

/** For each block of rows the sums of its columns. */
static void ISA(block_sums)(const float *x, float *sums, int height, int width) {
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM, sums += width) {
    ISA(sum_columns)(x + (long)r0 * width, sums, smaller(BLOCK_SUM, height - r0), width);
  }
}

static void ISA(block_squares)(const float *all, const float *mean, float *squares, int height, int width) {
  const int fours = width & ~3;
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM, squares += width) {
    const int count = smaller(BLOCK_SUM, height - r0);
    const float *x = all + (long)r0 * width;
    for (int c = 0; c < fours; c += LANES) {
      const int n = smaller(LANES, fours - c);
      const V middle = load_up_to(mean + c, n);
      V sum = zero();
      for (long r = 0; r < count; r++) {
        const V d = load_up_to(x + r * width + c, n) - middle;
        sum = fma_of(d, d, sum);
      }
      store_up_to(squares + c, sum, n);
    }
    for (int c = fours; c < width; c++) {
      float sum = 0;
      for (long r = 0; r < count; r++) {
        const float d = x[r * width + c] - mean[c];
        sum += d * d;
      }
      squares[c] = sum;
    }
  }
}

/** What blocks have left, added up in their order. */
static void ISA(join_blocks)(const float *blocks, float *out, int count, int width, float factor) {
  for (int c = 0; c < width; c += LANES) {
    const int n = smaller(LANES, width - c);
    V sum = zero();
    for (long b = 0; b < count; b++) sum = sum + load_up_to(blocks + b * width + c, n);
    store_up_to(out + c, sum * splat(factor), n);
  }
}

static void ISA(batch_norm_rows)(const Normalisation *t) {
  const int height = t->height, width = t->width, fours = width & ~3;
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM) {
    const int count = smaller(BLOCK_SUM, height - r0);
    for (int c = 0; c < fours; c += LANES) {
      const int n = smaller(LANES, fours - c);
      const V middle = load_up_to(t->mean + c, n), offset = load_up_to(t->beta + c, n);
      const V scale = load_up_to(t->gamma + c, n) / sqrt_of(load_up_to(t->variance + c, n) + splat(t->epsilon));
      long at = (long)r0 * width + c;
      for (int r = 0; r < count; r++, at += width) store_up_to(t->y + at, fma_of(load_up_to(t->x + at, n) - middle, scale, offset), n);
    }
    for (int c = fours; c < width; c++) {
      const float scale = t->gamma[c] / __builtin_sqrtf(t->variance[c] + t->epsilon);
      long at = (long)r0 * width + c;
      for (int r = 0; r < count; r++, at += width) t->y[at] = (t->x[at] - t->mean[c]) * scale + t->beta[c];
    }
  }
}

/** Each block of rows leaves a row of t->d_gamma and of t->d_beta. */
static void ISA(block_slopes)(const Normalisation *t) {
  const int height = t->height, width = t->width, fours = width & ~3;
  float *d_gamma = t->d_gamma, *d_beta = t->d_beta;
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM, d_gamma += width, d_beta += width) {
    const int count = smaller(BLOCK_SUM, height - r0);
    for (int c = 0; c < fours; c += LANES) {
      const int n = smaller(LANES, fours - c);
      const V middle = load_up_to(t->mean + c, n), inverse = splat(1) / sqrt_of(load_up_to(t->variance + c, n) + splat(t->epsilon));
      V sum = zero(), product = zero();
      long at = (long)r0 * width + c;
      for (int r = 0; r < count; r++, at += width) {
        const V d = load_up_to(t->dy + at, n);
        sum = sum + d;
        product = fma_of(d, load_up_to(t->x + at, n) - middle, product);
      }
      store_up_to(d_beta + c, sum, n);
      store_up_to(d_gamma + c, product * inverse, n);
    }
    for (int c = fours; c < width; c++) {
      const float inverse = 1.f / __builtin_sqrtf(t->variance[c] + t->epsilon);
      float sum = 0, product = 0;
      long at = (long)r0 * width + c;
      for (int r = 0; r < count; r++, at += width) {
        sum += t->dy[at];
        product += t->dy[at] * (t->x[at] - t->mean[c]);
      }
      d_beta[c] = sum;
      d_gamma[c] = product * inverse;
    }
  }
}

static void ISA(batch_norm_gradient_rows)(const Normalisation *t) {
  const int height = t->height, width = t->width;
  for (int r0 = 0; r0 < height; r0 += BLOCK_SUM) {
    const int count = smaller(BLOCK_SUM, height - r0);
    for (int c = 0; c < width; c += LANES) {
      const int n = smaller(LANES, width - c);
      const V middle = load_up_to(t->mean + c, n), inverse = splat(1) / sqrt_of(load_up_to(t->variance + c, n) + splat(t->epsilon));
      const V scale = load_up_to(t->gamma + c, n) * inverse, along = inverse * load_up_to(t->d_gamma + c, n) * splat(t->share);
      const V offset = load_up_to(t->d_beta + c, n) * splat(t->share);
      long at = (long)r0 * width + c;
      for (int r = 0; r < count; r++, at += width) {
        store_up_to(t->y + at, scale * (load_up_to(t->dy + at, n) - offset - along * (load_up_to(t->x + at, n) - middle)), n);
      }
    }
  }
}
#endif
