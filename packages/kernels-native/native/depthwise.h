// Convolutions with a separate filter for each channel: backend-wasm/assembly/depthwise.ts and depthwise3x3.ts. There
// the last one to three channels are multiplied and added with two roundings, so they are here.
#ifndef DEPTHWISE_H
#define DEPTHWISE_H
#include "kernels.h"
#include "vector.h"

/** The taps of one pixel that count; there are never more than the table of the module holds. */
enum { MOST_TAPS = 4096 };

typedef struct {
  const float *value, *weight;
} Tap;

INLINE void sum_taps(const Tap *taps, int count, float *out, int channels, const float *bias, int relu) {
  const int fused = channels & ~3;
  for (int c = 0; c < fused; c += LANES) {
    const int n = smaller(LANES, fused - c);
    V sum = bias ? load_up_to(bias + c, n) : zero();
    for (int i = 0; i < count; i++) sum = fma_of(load_up_to(taps[i].value + c, n), load_up_to(taps[i].weight + c, n), sum);
    store_up_to(out + c, relu ? relu_of(sum) : sum, n);
  }
  for (int c = fused; c < channels; c++) {
    float sum = bias ? bias[c] : 0;
    for (int i = 0; i < count; i++) sum += taps[i].value[c] * taps[i].weight[c];
    out[c] = relu && sum < 0 ? 0 : sum;
  }
}

static void ISA(depthwise)(const Depthwise *d) {
  Tap taps[MOST_TAPS];
  float *y = d->y;
  for (long image = 0; image < d->n; image++) {
    for (int oh = 0; oh < d->out_height; oh++) {
      for (int ow = 0; ow < d->out_width; ow++, y += d->channels) {
        int count = 0;
        for (int kh = 0; kh < d->filter_h; kh++) {
          const long h = (long)oh * d->stride_h - d->top + (long)kh * d->dilation_h;
          if (h < 0 || h >= d->height) continue;
          for (int kw = 0; kw < d->filter_w; kw++) {
            const long w = (long)ow * d->stride_w - d->left + (long)kw * d->dilation_w;
            if (w < 0 || w >= d->width) continue;
            taps[count].value = d->x + ((image * d->height + h) * d->width + w) * d->channels;
            taps[count++].weight = d->filter + ((long)kh * d->filter_w + kw) * d->channels;
          }
        }
        sum_taps(taps, count, y, d->channels, d->bias, d->relu);
      }
    }
  }
}

/** d->x is dy here, d->y the gradient of the images. */
static void ISA(depthwise_input_gradient)(const Depthwise *d) {
  Tap taps[MOST_TAPS];
  float *dx = d->y;
  for (long image = 0; image < d->n; image++) {
    for (int h = 0; h < d->height; h++) {
      for (int w = 0; w < d->width; w++, dx += d->channels) {
        int count = 0;
        for (int kh = 0; kh < d->filter_h; kh++) {
          const long down = (long)h + d->top - (long)kh * d->dilation_h;
          if (down < 0 || down % d->stride_h || down / d->stride_h >= d->out_height) continue;
          const long row = (image * d->out_height + down / d->stride_h) * d->out_width;
          for (int kw = 0; kw < d->filter_w; kw++) {
            const long across = (long)w + d->left - (long)kw * d->dilation_w;
            if (across < 0 || across % d->stride_w || across / d->stride_w >= d->out_width) continue;
            taps[count].value = d->x + (row + across / d->stride_w) * d->channels;
            taps[count++].weight = d->filter + ((long)kh * d->filter_w + kw) * d->channels;
          }
        }
        sum_taps(taps, count, dx, d->channels, 0, 0);
      }
    }
  }
}

INLINE void add_products(const float *x, long step, const float *dy, float *out, int count, int channels) {
  const int fused = channels & ~3;
  for (int c = 0; c < fused; c += LANES) {
    const int n = smaller(LANES, fused - c);
    V sum = load_up_to(out + c, n);
    for (long i = 0; i < count; i++) sum = fma_of(load_up_to(x + c + i * step, n), load_up_to(dy + c + i * channels, n), sum);
    store_up_to(out + c, sum, n);
  }
  for (int c = fused; c < channels; c++) {
    float sum = out[c];
    for (long i = 0; i < count; i++) sum += x[c + i * step] * dy[c + i * channels];
    out[c] = sum;
  }
}

/** d->filter is dy here, d->y the gradient of the filter. */
static void ISA(depthwise_filter_gradient)(const Depthwise *d) {
  memset(d->y, 0, sizeof(float) * (size_t)d->filter_h * (size_t)d->filter_w * (size_t)d->channels);
  for (long image = 0; image < d->n; image++) {
    for (int oh = 0; oh < d->out_height; oh++) {
      for (int kh = 0; kh < d->filter_h; kh++) {
        const long h = (long)oh * d->stride_h - d->top + (long)kh * d->dilation_h;
        if (h < 0 || h >= d->height) continue;
        for (int kw = 0; kw < d->filter_w; kw++) {
          const long shift = (long)kw * d->dilation_w - d->left;
          const long first = shift >= 0 ? 0 : (d->stride_w - 1 - shift) / d->stride_w;
          long end = shift >= d->width ? 0 : (d->width - 1 - shift) / d->stride_w + 1;
          if (end > d->out_width) end = d->out_width;
          if (end <= first) continue;
          add_products(d->x + ((image * d->height + h) * d->width + first * d->stride_w + shift) * d->channels,
                       (long)d->stride_w * d->channels, d->filter + ((image * d->out_height + oh) * d->out_width + first) * d->channels,
                       d->y + ((long)kh * d->filter_w + kw) * d->channels, (int)(end - first), d->channels);
        }
      }
    }
  }
}

/** A row of pixels, `n` channels of it; the nine weights stay in registers. */
INLINE void row_of_3x3(const Depthwise *d, const float *x, float *y, int c, int n) {
  const long across = (long)d->dilation_w * d->channels, down = (long)d->dilation_h * d->width * d->channels;
  const long step = (long)d->stride_w * d->channels;
  V w[9];
#pragma GCC unroll 9
  for (int i = 0; i < 9; i++) w[i] = load_up_to(d->filter + (long)(d->turned ? 8 - i : i) * d->channels + c, n);
  const V start = d->bias ? load_up_to(d->bias + c, n) : zero();
  for (int i = 0; i < d->out_width; i++, x += step, y += d->channels) {
    V sum = start;
#pragma GCC unroll 9
    for (int t = 0; t < 9; t++) sum = fma_of(load_up_to(x + t / 3 * down + t % 3 * across, n), w[t], sum);
    store_up_to(y, d->relu ? relu_of(sum) : sum, n);
  }
}

static void ISA(depthwise3x3)(const Depthwise *d) {
  const long across = (long)d->dilation_w * d->channels, down = (long)d->dilation_h * d->width * d->channels;
  const int fused = d->channels & ~3;
  float *y = d->y;
  for (long image = 0; image < d->n; image++) {
    for (int oh = 0; oh < d->out_height; oh++, y += (long)d->out_width * d->channels) {
      const float *x = d->x + (image * d->height + (long)oh * d->stride_h) * d->width * d->channels;
      int c = 0;
      for (; c + LANES <= fused; c += LANES) row_of_3x3(d, x + c, y + c, c, LANES);
      if (c < fused) row_of_3x3(d, x + c, y + c, c, fused - c);
      for (c = fused; c < d->channels; c++) {
        const float *from = x + c;
        float *to = y + c;
        for (int i = 0; i < d->out_width; i++, from += (long)d->stride_w * d->channels, to += d->channels) {
          float sum = d->bias ? d->bias[c] : 0;
          for (int t = 0; t < 9; t++) sum += from[t / 3 * down + t % 3 * across] * d->filter[(long)(d->turned ? 8 - t : t) * d->channels + c];
          *to = d->relu && sum < 0 ? 0 : sum;
        }
      }
    }
  }
}
#endif
