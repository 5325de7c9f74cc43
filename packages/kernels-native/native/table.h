// Everything for one instruction set: the file that includes this says which.
#include "attention.h"
#include "conv.h"
#include "depthwise.h"
#include "norm.h"
#include "recurrent.h"
#include "statistics.h"

#if defined(ISA_AVX512)
#define ISA_NAME "avx512"
#else
#define ISA_NAME "avx2"
#endif

const Kernels ISA(kernels) = {
  .name = ISA_NAME,
  .product = ISA(product),
  .conv = ISA(conv),
  .conv_filter_gradient = ISA(conv_filter_gradient),
  .depthwise = ISA(depthwise),
  .depthwise3x3 = ISA(depthwise3x3),
  .depthwise_input_gradient = ISA(depthwise_input_gradient),
  .depthwise_filter_gradient = ISA(depthwise_filter_gradient),
  .attention = ISA(attention),
  .attention_gradient = ISA(attention_gradient),
  .lstm = ISA(lstm),
  .lstm_gradient = ISA(lstm_gradient),
  .gru = ISA(gru),
  .gru_gradient = ISA(gru_gradient),
  .sum_of_products = ISA(sum_of_products),
  .unary = ISA(unary),
  .binary = ISA(binary),
  .softmax = ISA(softmax),
  .softmax_gradient = ISA(softmax_gradient),
  .sum = ISA(sum),
  .activation_gradient = ISA(activation_gradient),
  .layer_norm = ISA(layer_norm),
  .layer_norm_gradient_rows = ISA(layer_norm_gradient_rows),
  .block_sums = ISA(block_sums),
  .block_squares = ISA(block_squares),
  .block_slopes = ISA(block_slopes),
  .join_blocks = ISA(join_blocks),
  .batch_norm_rows = ISA(batch_norm_rows),
  .batch_norm_gradient_rows = ISA(batch_norm_gradient_rows),
  .adam = ISA(adam),
  .sum_of_squares = ISA(sum_of_squares),
  .statistics = ISA(statistics),
  .movement = ISA(movement),
};
