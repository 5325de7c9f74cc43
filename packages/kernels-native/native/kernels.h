// What the checked entry points call: one table of kernels for each instruction set.
#ifndef KERNELS_H
#define KERNELS_H
#include <stddef.h>

/**
 * The depth after which the sum of a product starts from 0 again: BLOCK_K of backend-wasm/assembly/workspace.ts. It
 * decides the bits of a result; the other block sizes do not.
 */
enum { BLOCK_DEPTH = 256 };

/**
 * So many rows are summed before they are added to what there is, as in the module: in sums of columns, and in layer
 * normalisation. They decide the bits as well.
 */
enum { BLOCK_SUM = 128, BLOCK_LAYER_NORM = 32 };

/** Memory of one thread, for operands that are packed. It grows; `take` gives 0 when there is none. */
typedef struct {
  float *memory;
  size_t floats;
} Scratch;

typedef struct {
  const float *a;
  long row_a;
  int transpose_a;
  const float *b;
  long row_b;
  int transpose_b;
  float *out;
  long row_out;
  int m, n, k;
  const float *bias;
  int relu, add;
} Product;

typedef struct {
  const float *x, *filter;
  float *y;
  int n, height, width, channels, out_height, out_width, filters, filter_h, filter_w;
  int stride_h, stride_w, dilation_h, dilation_w;
  const float *bias;
  int relu, first, end;
} Convolution;

typedef struct {
  const float *x, *filter;
  float *y;
  int n, height, width, channels, out_height, out_width, filter_h, filter_w;
  int stride_h, stride_w, dilation_h, dilation_w, top, left;
  const float *bias;
  int relu, turned;
} Depthwise;

typedef struct {
  const float *query, *key, *value, *dy;
  float *out, *weights, *d_query, *d_key, *d_value, *spare;
  int batch, heads, time, keys, depth, width;
  float scale;
  int causal;
} Attention;

typedef struct {
  float *gates, *cells, *hidden, *squashed, *d_gates, *dh, *dc, *reset_hidden, *inner, *pair;
  const float *weights, *candidate, *bias, *d_hidden;
  int time, batch, units, hard, all;
} Recurrent;

typedef struct {
  const float *x, *dy, *gamma, *beta;
  float *y, *mean, *variance, *d_gamma, *d_beta;
  int height, width;
  float epsilon, share;
} Normalisation;

/** Steps of up to three axes; out is whole. */
typedef struct {
  int n[3], a[3], b[3];
} Broadcast;

typedef struct {
  float *p, *m, *v;
  const float *g;
  int n;
  float beta1, rest1, beta2, rest2, epsilon, size, decay, keep;
} Adam;

/** Those that pack operands return 0 when there is no memory for that; nothing has been written then. */
typedef struct {
  const char *name;
  int (*product)(Scratch *, const Product *);
  int (*conv)(Scratch *, const Convolution *);
  void (*conv_filter_gradient)(const Convolution *);
  void (*depthwise)(const Depthwise *);
  void (*depthwise3x3)(const Depthwise *);
  void (*depthwise_input_gradient)(const Depthwise *);
  void (*depthwise_filter_gradient)(const Depthwise *);
  int (*attention)(Scratch *, const Attention *);
  int (*attention_gradient)(Scratch *, const Attention *);
  int (*lstm)(Scratch *, const Recurrent *);
  int (*lstm_gradient)(Scratch *, const Recurrent *);
  int (*gru)(Scratch *, const Recurrent *);
  int (*gru_gradient)(Scratch *, const Recurrent *);
  int (*sum_of_products)(Scratch *, const Product *, int time);
  void (*unary)(int code, const float *x, float *out, int n, float a, float b);
  void (*binary)(int code, const float *a, const float *b, float *out, const Broadcast *);
  void (*softmax)(const float *x, float *out, int height, int width);
  void (*softmax_gradient)(const float *dy, const float *y, float *out, int height, int width);
  void (*sum)(const float *x, float *out, int outer, int count, int inner, float factor);
  void (*activation_gradient)(int code, const float *dy, const float *y, float *dz, float *bias, int height, int width);
  void (*layer_norm)(const Normalisation *);
  void (*layer_norm_gradient_rows)(const Normalisation *);
  void (*block_sums)(const float *x, float *sums, int height, int width);
  void (*block_squares)(const float *x, const float *mean, float *squares, int height, int width);
  void (*block_slopes)(const Normalisation *);
  void (*join_blocks)(const float *blocks, float *out, int count, int width, float factor);
  void (*batch_norm_rows)(const Normalisation *);
  void (*batch_norm_gradient_rows)(const Normalisation *);
  void (*adam)(const Adam *);
  /** These write doubles, wherever a float may be. */
  void (*sum_of_squares)(const float *x, int n, float *out);
  void (*statistics)(const float *x, int n, float *out);
  void (*movement)(const float *before, const float *after, int n, float *out);
} Kernels;

extern const Kernels kernels_avx2, kernels_avx512;

/** So many floats, aligned to a line of the cache; 0 when there is no memory. What was there is gone. */
float *scratch_take(Scratch *, size_t floats);
void scratch_free(Scratch *);
#endif
