// Products of matrices. Every number of a result is summed over k in order, with FMA, in one sum that starts from 0 at
// every BLOCK_DEPTH-th k, and these sums are added in order: exactly what backend-wasm/assembly/matmul.ts does. So the
// result has the same bits, however large the tiles are.
#ifndef PRODUCT_H
#define PRODUCT_H
#include "kernels.h"
#include "pack.h"

/** Columns and rows that are worked on at a time: a block of the right operand stays in the second cache. */
enum { BLOCK_COLUMNS = 512, BLOCK_ROWS = 96 };

/** What happens to the sums of a tile. */
typedef struct {
  float *out;
  long row;
  int columns, add, relu;
  const float *bias;
} Finish;

INLINE void put(float *out, V v, MASK mask, int whole, int add, const float *bias, int relu) {
  if (whole) {
    if (add) v = load(out) + v;
    if (bias) v = v + load(bias);
    if (relu) v = relu_of(v);
    store(out, v);
  } else {
    if (add) v = load_some(out, mask) + v;
    if (bias) v = v + load_some(bias, mask);
    if (relu) v = relu_of(v);
    store_some(out, mask, v);
  }
}

INLINE void put_tile(const int rows, const int vectors, V sums[][2], const Finish *f) {
  const int low = smaller(f->columns, LANES), whole = f->columns == vectors * LANES;
  const MASK first = first_lanes(low), second = first_lanes(f->columns - low);
  float *out = f->out;
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++, out += f->row) {
    put(out, sums[i][0], first, whole, f->add, f->bias, f->relu);
    if (vectors > 1) put(out + LANES, sums[i][1], second, whole, f->add, f->bias ? f->bias + LANES : 0, f->relu);
  }
}

/** rows x vectors sums of a[i * row + k * step] times b[k][vectors * LANES]. */
INLINE void tile(const int rows, const int vectors, const float *a, long row, long step, const float *b, int depth, const Finish *f) {
  V sums[TILE_ROWS][2];
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) sums[i][0] = sums[i][1] = zero();
  // Few pointers: the rows between them are reached by what an address can add and scale.
  const float *p0 = a, *p1 = a + 3 * row, *p2 = a + 6 * row, *p3 = a + 9 * row;
  for (int k = 0; k < depth; k++) {
    const V b0 = load(b), b1 = vectors > 1 ? load(b + LANES) : b0;
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
      const float *p = i < 3 ? p0 : i < 6 ? p1 : i < 9 ? p2 : p3;
      const V x = splat(p[(i % 3) * row]);
      sums[i][0] = fma_of(x, b0, sums[i][0]);
      if (vectors > 1) sums[i][1] = fma_of(x, b1, sums[i][1]);
    }
    p0 += step;
    if (rows > 3) p1 += step;
    if (rows > 6) p2 += step;
    if (rows > 9) p3 += step;
    b += vectors * LANES;
  }
  put_tile(rows, vectors, sums, f);
}

#define TILE_CASE(n, row, step) \
  case n: \
    if (vectors > 1) tile(n, 2, a, row, step, b, depth, f); \
    else tile(n, 1, a, row, step, b, depth, f); \
    break;
#if defined(ISA_AVX512)
#define MORE_TILES(row, step) \
  TILE_CASE(7, row, step) TILE_CASE(8, row, step) TILE_CASE(9, row, step) TILE_CASE(10, row, step) \
  TILE_CASE(11, row, step) TILE_CASE(12, row, step)
#else
#define MORE_TILES(row, step)
#endif
#define ALL_TILES(row, step) \
  switch (rows) { \
    TILE_CASE(1, row, step) TILE_CASE(2, row, step) TILE_CASE(3, row, step) TILE_CASE(4, row, step) \
    TILE_CASE(5, row, step) TILE_CASE(6, row, step) MORE_TILES(row, step) \
  }

/** A tile whose rows are read where they lie. */
static __attribute__((noinline)) void ISA(tile_of_rows)(int rows, int vectors, const float *a, long row, const float *b, int depth, const Finish *f) {
  ALL_TILES(row, 1)
}

/** A tile whose rows come from pack_left. */
static __attribute__((noinline)) void ISA(tile_of_panel)(int rows, int vectors, const float *a, const float *b, int depth, const Finish *f) {
  ALL_TILES(1, TILE_ROWS)
}

/** Rows times panels; `left` has room for BLOCK_ROWS rows of the block when the left operand is transposed. */
static void ISA(multiply_block)(const float *a, long row_a, int transpose_a, float *left, const float *panels, int depth, int m, const Finish *block) {
  for (int m0 = 0; m0 < m; m0 += BLOCK_ROWS) {
    const int height = smaller(BLOCK_ROWS, m - m0);
    if (transpose_a) ISA(pack_left)(a + m0, row_a, height, depth, left);
    const float *panel = panels;
    for (int j = 0; j < block->columns;) {
      const int width = panel_width(block->columns - j), vectors = width / LANES;
      Finish f = *block;
      f.out += (long)m0 * block->row + j;
      f.columns = smaller(width, block->columns - j);
      if (f.bias) f.bias += j;
      for (int i = 0; i < height; i += TILE_ROWS, f.out += TILE_ROWS * f.row) {
        const int rows = smaller(TILE_ROWS, height - i);
        if (transpose_a) ISA(tile_of_panel)(rows, vectors, left + (long)i * depth, panel, depth, &f);
        else ISA(tile_of_rows)(rows, vectors, a + (long)(m0 + i) * row_a, row_a, panel, depth, &f);
      }
      panel += (long)width * depth;
      j += width;
    }
  }
}

enum { PANEL_FLOATS = BLOCK_DEPTH * (BLOCK_COLUMNS + TILE_COLUMNS), LEFT_FLOATS = BLOCK_DEPTH * (BLOCK_ROWS + TILE_ROWS) };

/** Room for one product. */
enum { PRODUCT_FLOATS = PANEL_FLOATS + LEFT_FLOATS };

static void ISA(multiply)(float *room, const Product *p) {
  float *panels = room, *left = room + PANEL_FLOATS;
  for (int n0 = 0; n0 < p->n; n0 += BLOCK_COLUMNS) {
    const int columns = smaller(BLOCK_COLUMNS, p->n - n0);
    for (int k0 = 0; k0 < p->k; k0 += BLOCK_DEPTH) {
      const int depth = smaller(BLOCK_DEPTH, p->k - k0), is_last = k0 + depth == p->k;
      const float *b = p->transpose_b ? p->b + (long)n0 * p->row_b + k0 : p->b + (long)k0 * p->row_b + n0;
      const float *a = p->transpose_a ? p->a + (long)k0 * p->row_a : p->a + k0;
      ISA(pack_panels)(b, p->row_b, p->transpose_b, columns, depth, panels);
      const Finish block = {p->out + n0, p->row_out, columns, p->add || k0 > 0, is_last && p->relu, is_last && p->bias ? p->bias + n0 : 0};
      ISA(multiply_block)(a, p->row_a, p->transpose_a, left, panels, depth, p->m, &block);
    }
  }
}

/** A right operand that is packed once, for many products. */
INLINE size_t packed_floats(int n, int k) { return panel_floats(n, k); }

static void ISA(pack_matrix)(const float *b, long row, int transposed, int n, int k, float *to) {
  for (int k0 = 0; k0 < k; k0 += BLOCK_DEPTH) {
    const int depth = smaller(BLOCK_DEPTH, k - k0);
    ISA(pack_panels)(transposed ? b + k0 : b + (long)k0 * row, row, transposed, n, depth, to);
    to += panel_floats(n, depth);
  }
}

static void ISA(multiply_packed)(const float *a, long row_a, const float *packed, float *out, int m, int n, int k) {
  for (int k0 = 0; k0 < k; k0 += BLOCK_DEPTH) {
    const int depth = smaller(BLOCK_DEPTH, k - k0);
    const Finish block = {out, n, n, k0 > 0, 0, 0};
    ISA(multiply_block)(a + k0, row_a, 0, 0, packed, depth, m, &block);
    packed += panel_floats(n, depth);
  }
}

INLINE void add_to(float *out, const float *x, long n) {
  for (long i = 0; i < n; i += LANES) {
    const int count = n - i < LANES ? (int)(n - i) : LANES;
    store_up_to(out + i, load_up_to(out + i, count) + load_up_to(x + i, count), count);
  }
}

static int ISA(product)(Scratch *scratch, const Product *p) {
  float *room = scratch_take(scratch, PRODUCT_FLOATS);
  if (!room) return 0;
  ISA(multiply)(room, p);
  return 1;
}

/** Over time, the last step first; a and b of a step are p->k rows. Each product is complete before it is added. */
static int ISA(sum_of_products)(Scratch *scratch, const Product *p, int time) {
  const int fits = p->k <= BLOCK_DEPTH;
  const long size = (long)p->m * p->n;
  float *room = scratch_take(scratch, PRODUCT_FLOATS + (fits ? 0 : (size_t)size));
  if (!room) return 0;
  Product step = *p;
  for (long t = time - 1; t >= 0; t--) {
    const int is_first = t == time - 1;
    step.a = p->a + t * p->k * p->row_a;
    step.b = p->b + t * p->k * p->row_b;
    step.out = fits || is_first ? p->out : room + PRODUCT_FLOATS;
    step.add = fits && !is_first;
    ISA(multiply)(room, &step);
    if (step.out != p->out) add_to(p->out, step.out, size);
  }
  return 1;
}
#endif
