// The functions of the module that these kernels compute: the same names and the same order of arguments as in
// backend-wasm/src/module/exports.ts. Each reads its arguments, says how far each address reaches, and only then runs.
#ifndef ENTRIES_H
#define ENTRIES_H
#include "call.h"

#define READY(call) (!(call)->wrong && !(call)->declined)

static inline void decline_unless(Call *c, int condition) {
  if (!condition) c->declined = 1;
}

void entry_mat_mul(Call *);
void entry_product(Call *);
void entry_product_part(Call *);
void entry_sum_of_products(Call *);
void entry_conv(Call *);
void entry_conv_filter_gradient(Call *);
void entry_conv_filter_gradient_part(Call *);
void entry_depthwise(Call *);
void entry_depthwise3x3(Call *);
void entry_depthwise_input_gradient(Call *);
void entry_depthwise_filter_gradient(Call *);
void entry_attention(Call *);
void entry_attention_gradient(Call *);
void entry_lstm(Call *);
void entry_lstm_gradient(Call *);
void entry_gru(Call *);
void entry_gru_gradient(Call *);
void entry_unary(Call *);
void entry_binary(Call *);
void entry_softmax(Call *);
void entry_softmax_gradient(Call *);
void entry_sum(Call *);
void entry_activation_gradient(Call *);
void entry_layer_norm(Call *);
void entry_layer_norm_gradient_rows(Call *);
void entry_block_sums(Call *);
void entry_block_squares(Call *);
void entry_block_slopes(Call *);
void entry_join_blocks(Call *);
void entry_batch_norm_rows(Call *);
void entry_batch_norm_gradient_rows(Call *);
void entry_adam(Call *);
void entry_sum_of_squares(Call *);
void entry_statistics(Call *);
void entry_movement(Call *);
#endif
