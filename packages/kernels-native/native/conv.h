// Convolutions of padded images, where they lie: backend-wasm/assembly/conv.ts with larger tiles.
#ifndef CONV_H
#define CONV_H
#include "product.h"

/** Output pixels whose addresses are computed at a time; a multiple of PATCHES. */
enum { PIXELS = 240 };

/** How the taps of a patch lie in memory: `runs` of neighbours in each row of the filter. */
typedef struct {
  int rows, runs, run;
  long run_gap, row_gap;
} Patch;

INLINE Patch patch_of(const Convolution *c) {
  Patch p;
  p.rows = c->filter_h;
  p.runs = c->dilation_w == 1 ? 1 : c->filter_w;
  p.run = c->filter_w * c->channels / p.runs;
  p.run_gap = c->dilation_w == 1 ? 0 : (long)c->dilation_w * c->channels - p.run;
  p.row_gap = (long)c->dilation_h * c->width * c->channels - p.runs * (p.run + p.run_gap);
  return p;
}

/** PATCHES patches times vectors * LANES filters; the first `rows` are written. */
INLINE void conv_tile(const int vectors, const float *const *x, const float *panel, const Patch *patch, int rows, const Finish *f) {
  V sums[PATCHES][2];
  const float *at[PATCHES];
#pragma GCC unroll 16
  for (int i = 0; i < PATCHES; i++) {
    sums[i][0] = sums[i][1] = zero();
    at[i] = x[i];
  }
  const int run = patch->run;
  for (int h = 0; h < patch->rows; h++) {
    for (int r = 0; r < patch->runs; r++) {
      for (int k = 0; k < run; k++, panel += vectors * LANES) {
        const V b0 = load(panel), b1 = vectors > 1 ? load(panel + LANES) : b0;
#pragma GCC unroll 16
        for (int i = 0; i < PATCHES; i++) {
          const V a = splat(at[i][k]);
          sums[i][0] = fma_of(a, b0, sums[i][0]);
          if (vectors > 1) sums[i][1] = fma_of(a, b1, sums[i][1]);
        }
      }
#pragma GCC unroll 16
      for (int i = 0; i < PATCHES; i++) at[i] += run + patch->run_gap;
    }
#pragma GCC unroll 16
    for (int i = 0; i < PATCHES; i++) at[i] += patch->row_gap;
  }
  const int low = smaller(f->columns, LANES), whole = f->columns == vectors * LANES;
  const MASK first = first_lanes(low), second = first_lanes(f->columns - low);
#pragma GCC unroll 16
  for (int i = 0; i < PATCHES; i++) {
    if (i >= rows) break;
    put(f->out + i * f->row, sums[i][0], first, whole, 0, f->bias, f->relu);
    if (vectors > 1) put(f->out + i * f->row + LANES, sums[i][1], second, whole, 0, f->bias ? f->bias + LANES : 0, f->relu);
  }
}

static __attribute__((noinline)) void ISA(conv_tile_1)(const float *const *x, const float *panel, const Patch *patch, int rows, const Finish *f) {
  conv_tile(1, x, panel, patch, rows, f);
}
static __attribute__((noinline)) void ISA(conv_tile_2)(const float *const *x, const float *panel, const Patch *patch, int rows, const Finish *f) {
  conv_tile(2, x, panel, patch, rows, f);
}

/** The filter comes in panels of 8, as packFilter of the module leaves them. */
static void ISA(repack_filter)(const float *filter, int filters, int depth, float *to) {
  for (int j = 0; j < filters;) {
    const int width = panel_width(filters - j);
    for (int part = 0; part < width; part += 8) {
      const float *from = filter + (long)(j + part) * depth;
      float *out = to + part;
      if (j + part < filters) for (int k = 0; k < depth; k++) _mm256_storeu_ps(out + (long)k * width, _mm256_loadu_ps(from + 8L * k));
      else for (int k = 0; k < depth; k++) _mm256_storeu_ps(out + (long)k * width, _mm256_setzero_ps());
    }
    to += (long)width * depth;
    j += width;
  }
}

static int ISA(conv)(Scratch *scratch, const Convolution *c) {
  const int depth = c->filter_h * c->filter_w * c->channels;
  const long total = (long)c->n * c->out_height * c->out_width;
  float *panels = scratch_take(scratch, panel_floats(c->filters, depth));
  if (!panels) return 0;
  ISA(repack_filter)(c->filter, c->filters, depth, panels);
  const Patch patch = patch_of(c);
  const float *table[PIXELS + PATCHES];
  long image = 0;
  int oh = 0, ow = 0;
  for (long p0 = 0; p0 < total; p0 += PIXELS) {
    const int count = total - p0 < PIXELS ? (int)(total - p0) : PIXELS;
    for (int i = 0; i < count; i++) {
      table[i] = c->x + ((image * c->height + (long)oh * c->stride_h) * c->width + (long)ow * c->stride_w) * c->channels;
      if (++ow < c->out_width) continue;
      ow = 0;
      if (++oh < c->out_height) continue;
      oh = 0;
      image++;
    }
    for (int i = count; i < count + PATCHES; i++) table[i] = table[count - 1];
    const float *panel = panels;
    for (int j = 0; j < c->filters;) {
      const int width = panel_width(c->filters - j);
      Finish f = {c->y + p0 * c->filters + j, c->filters, smaller(width, c->filters - j), 0, c->relu, c->bias ? c->bias + j : 0};
      for (int i = 0; i < count; i += PATCHES, f.out += (long)PATCHES * c->filters) {
        const int rows = smaller(PATCHES, count - i);
        if (width == TILE_COLUMNS) ISA(conv_tile_2)(table + i, panel, &patch, rows, &f);
        else ISA(conv_tile_1)(table + i, panel, &patch, rows, &f);
      }
      panel += (long)width * depth;
      j += width;
    }
  }
  return 1;
}

/** A band of pixels: where its images and gradients are, and how to go through them. */
typedef struct {
  const float *x, *dy;
  int height, width;
  long step, row_gap, row;
  float *out;
  int add;
} Band;

/** rows neighbouring taps times vectors * LANES filters, summed over a band of pixels. */
INLINE void filter_tile(const int rows, const int vectors, const Band *band, int columns) {
  V sums[TILE_ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) sums[i][0] = sums[i][1] = zero();
  const int low = smaller(columns, LANES), whole = columns == vectors * LANES;
  const MASK first = first_lanes(low), second = first_lanes(columns - low);
  const float *x = band->x, *dy = band->dy;
  for (int h = 0; h < band->height; h++, x += band->row_gap) {
    for (int w = 0; w < band->width; w++, x += band->step, dy += band->row) {
      const V b0 = whole ? load(dy) : load_some(dy, first);
      const V b1 = vectors > 1 ? whole ? load(dy + LANES) : load_some(dy + LANES, second) : b0;
#pragma GCC unroll 16
      for (int i = 0; i < rows; i++) {
        const V a = splat(x[i]);
        sums[i][0] = fma_of(a, b0, sums[i][0]);
        if (vectors > 1) sums[i][1] = fma_of(a, b1, sums[i][1]);
      }
    }
  }
  const Finish f = {band->out, band->row, columns, band->add, 0, 0};
  put_tile(rows, vectors, sums, &f);
}

#define FILTER_CASE(n) \
  case n: \
    if (columns > LANES) filter_tile(n, 2, band, columns); \
    else filter_tile(n, 1, band, columns); \
    break;
static __attribute__((noinline)) void ISA(filter_tile_of)(int rows, const Band *band, int columns) {
  switch (rows) {
    FILTER_CASE(1) FILTER_CASE(2) FILTER_CASE(3) FILTER_CASE(4) FILTER_CASE(5) FILTER_CASE(6)
#if defined(ISA_AVX512)
    FILTER_CASE(7) FILTER_CASE(8) FILTER_CASE(9) FILTER_CASE(10) FILTER_CASE(11) FILTER_CASE(12)
#endif
  }
}

/** Taps k0 to k1 of one place of the filter, filters j0 to j1. */
static void ISA(filter_block)(const Convolution *c, Band band, int k0, int k1, int j0, int j1) {
  const float *x = band.x, *dy = band.dy;
  float *out = band.out;
  for (int k = k0; k < k1; k += TILE_ROWS) {
    for (int j = j0; j < j1; j += TILE_COLUMNS) {
      band.x = x + k;
      band.dy = dy + j;
      band.out = out + (long)k * c->filters + j;
      ISA(filter_tile_of)(smaller(TILE_ROWS, k1 - k), &band, smaller(TILE_COLUMNS, j1 - j));
    }
  }
}

/** c->filter is dy here, c->y the gradient of the filter: its tiles `first` to `end` of 4 taps x 8 filters. */
static void ISA(conv_filter_gradient)(const Convolution *c) {
  const Patch patch = patch_of(c);
  const int across = (c->filters + 7) / 8, along = (patch.run + 3) / 4;
  const int end = smaller(c->end, c->filter_h * patch.runs * along * across);
  const int rows = larger(1, smaller(c->out_height, 256 / c->out_width));
  Band band = {0, 0, 0, c->out_width, (long)c->stride_w * c->channels, 0, c->filters, 0, 0};
  band.row_gap = (long)c->stride_h * c->width * c->channels - band.step * c->out_width;
  for (long image = 0; image < c->n; image++) {
    for (int h = 0; h < c->out_height; h += rows) {
      band.height = smaller(rows, c->out_height - h);
      band.dy = c->filter + (image * c->out_height + h) * c->out_width * c->filters;
      for (int tile = c->first; tile < end;) {
        const int column = tile % across, row = tile / across, place = row / along, part = row % along;
        const int kh = place / patch.runs, kw = place % patch.runs;
        const long pixel = (image * c->height + (long)h * c->stride_h + (long)kh * c->dilation_h) * c->width + (long)kw * c->dilation_w;
        band.x = c->x + pixel * c->channels;
        band.out = c->y + (long)place * patch.run * c->filters;
        // As many whole rows of tiles as there are in this place, or a part of one.
        int whole = column == 0 ? smaller((end - tile) / across, along - part) : 0, tiles = whole * across;
        int last = c->filters;
        if (whole == 0) {
          whole = 1;
          tiles = smaller(across - column, end - tile);
          last = smaller(c->filters, (column + tiles) * 8);
        }
        ISA(filter_block)(c, band, part * 4, smaller(patch.run, (part + whole) * 4), column * 8, last);
        tile += tiles;
      }
      band.add = 1;
    }
  }
}
#endif
