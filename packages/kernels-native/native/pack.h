// Panels: the layout in which the loops of tiles read the right operand, [depth][width], padded with zeros. Panels of
// TILE_COLUMNS come first; at most LANES columns that are left have a panel of LANES.
#ifndef PACK_H
#define PACK_H
#include "vector.h"

INLINE int panel_width(int columns_left) { return columns_left > LANES ? TILE_COLUMNS : LANES; }

/** Floats that the panels of so many columns take. */
INLINE size_t panel_floats(int columns, int depth) {
  const int whole = columns / TILE_COLUMNS * TILE_COLUMNS, rest = columns - whole;
  return (size_t)(whole + (rest > 0 ? panel_width(rest) : 0)) * (size_t)depth;
}

INLINE void transpose_8x8(const float *p, long row, float *out, long step) {
  const __m256 r0 = _mm256_loadu_ps(p), r1 = _mm256_loadu_ps(p + row), r2 = _mm256_loadu_ps(p + 2 * row);
  const __m256 r3 = _mm256_loadu_ps(p + 3 * row), r4 = _mm256_loadu_ps(p + 4 * row), r5 = _mm256_loadu_ps(p + 5 * row);
  const __m256 r6 = _mm256_loadu_ps(p + 6 * row), r7 = _mm256_loadu_ps(p + 7 * row);
  const __m256 a0 = _mm256_unpacklo_ps(r0, r1), a1 = _mm256_unpackhi_ps(r0, r1), a2 = _mm256_unpacklo_ps(r2, r3);
  const __m256 a3 = _mm256_unpackhi_ps(r2, r3), a4 = _mm256_unpacklo_ps(r4, r5), a5 = _mm256_unpackhi_ps(r4, r5);
  const __m256 a6 = _mm256_unpacklo_ps(r6, r7), a7 = _mm256_unpackhi_ps(r6, r7);
  const __m256 b0 = _mm256_shuffle_ps(a0, a2, 0x44), b1 = _mm256_shuffle_ps(a0, a2, 0xee);
  const __m256 b2 = _mm256_shuffle_ps(a1, a3, 0x44), b3 = _mm256_shuffle_ps(a1, a3, 0xee);
  const __m256 b4 = _mm256_shuffle_ps(a4, a6, 0x44), b5 = _mm256_shuffle_ps(a4, a6, 0xee);
  const __m256 b6 = _mm256_shuffle_ps(a5, a7, 0x44), b7 = _mm256_shuffle_ps(a5, a7, 0xee);
  _mm256_storeu_ps(out, _mm256_permute2f128_ps(b0, b4, 0x20));
  _mm256_storeu_ps(out + step, _mm256_permute2f128_ps(b1, b5, 0x20));
  _mm256_storeu_ps(out + 2 * step, _mm256_permute2f128_ps(b2, b6, 0x20));
  _mm256_storeu_ps(out + 3 * step, _mm256_permute2f128_ps(b3, b7, 0x20));
  _mm256_storeu_ps(out + 4 * step, _mm256_permute2f128_ps(b0, b4, 0x31));
  _mm256_storeu_ps(out + 5 * step, _mm256_permute2f128_ps(b1, b5, 0x31));
  _mm256_storeu_ps(out + 6 * step, _mm256_permute2f128_ps(b2, b6, 0x31));
  _mm256_storeu_ps(out + 7 * step, _mm256_permute2f128_ps(b3, b7, 0x31));
}

/** `depth` rows, of which so many columns count, become one panel. */
INLINE void pack_rows(const float *from, long row, int columns, int depth, float *to, int width) {
  if (columns == TILE_COLUMNS) {
    for (int k = 0; k < depth; k++, from += row, to += TILE_COLUMNS) {
      store(to, load(from));
      store(to + LANES, load(from + LANES));
    }
    return;
  }
  const int low = smaller(columns, LANES);
  const MASK first = first_lanes(low), second = first_lanes(columns - low);
  for (int k = 0; k < depth; k++, from += row, to += width) {
    store(to, load_some(from, first));
    if (width == TILE_COLUMNS) store(to + LANES, load_some(from + LANES, second));
  }
}

/** So many rows of length `depth` become the columns of one panel. */
INLINE void pack_columns(const float *from, long row, int columns, int depth, float *to, int width) {
  for (int r = 0; r < width; r += 8) {
    const float *p = from + (long)r * row;
    const int count = columns - r;
    float *out = to + r;
    int k = 0;
    if (count >= 8) {
      for (; k + 8 <= depth; k += 8) transpose_8x8(p + k, row, out + (long)k * width, width);
      for (; k < depth; k++) for (int i = 0; i < 8; i++) out[(long)k * width + i] = p[i * row + k];
    } else {
      for (; k < depth; k++) for (int i = 0; i < 8; i++) out[(long)k * width + i] = i < count ? p[i * row + k] : 0;
    }
  }
}

static __attribute__((noinline)) void ISA(pack_panels)(const float *b, long row, int transposed, int columns, int depth, float *to) {
  for (int j = 0; j < columns;) {
    const int width = panel_width(columns - j), count = smaller(width, columns - j);
    if (transposed) pack_columns(b + (long)j * row, row, count, depth, to, width);
    else pack_rows(b + j, row, count, depth, to, width);
    to += (long)width * depth;
    j += width;
  }
}

/** [depth, height] becomes panels [depth][TILE_ROWS]. */
static __attribute__((noinline)) void ISA(pack_left)(const float *a, long row, int height, int depth, float *to) {
  for (int i = 0; i < height; i += TILE_ROWS, to += (long)TILE_ROWS * depth) {
    const float *p = a + i;
    const int count = smaller(TILE_ROWS, height - i);
    if (count == TILE_ROWS) {
      for (int k = 0; k < depth; k++, p += row) memcpy(to + (long)k * TILE_ROWS, p, sizeof(float) * TILE_ROWS);
    } else {
      for (int k = 0; k < depth; k++, p += row) for (int r = 0; r < count; r++) to[(long)k * TILE_ROWS + r] = p[r];
    }
  }
}
#endif
