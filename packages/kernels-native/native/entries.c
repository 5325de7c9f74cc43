// Every kernel by its name, with the names of its arguments for messages.
#include "entries.h"

#define CONVOLUTION "n height width channels outHeight outWidth filters filterH filterW strideH strideW dilationH dilationW"
#define DEPTHWISE "n height width channels outHeight outWidth filterH filterW strideH strideW dilationH dilationW top left"

const Entry entries[] = {
  {"matMul", "a transposeA b transposeB out m n k bias relu batch batchA batchB", entry_mat_mul},
  {"product", "a rowA transposeA b rowB transposeB out m n k bias relu add", entry_product},
  {"productPart", "a rowA transposeA b rowB transposeB out rowOut m n k bias relu add", entry_product_part},
  {"sumOfProducts", "a rowA b rowB out spare time batch m n", entry_sum_of_products},
  {"conv", "x filter y " CONVOLUTION " bias relu", entry_conv},
  {"convFilterGradient", "x dy out " CONVOLUTION, entry_conv_filter_gradient},
  {"convFilterGradientPart", "x dy out " CONVOLUTION " first end", entry_conv_filter_gradient_part},
  {"depthwise", "x filter y " DEPTHWISE " bias relu", entry_depthwise},
  {"depthwise3x3", "x filter y n height width channels outHeight outWidth strideH strideW dilationH dilationW bias relu turned", entry_depthwise3x3},
  {"depthwiseInputGradient", "dy filter dx " DEPTHWISE, entry_depthwise_input_gradient},
  {"depthwiseFilterGradient", "x dy out " DEPTHWISE, entry_depthwise_filter_gradient},
  {"attention", "query key value out weights batch heads time keys depth width scale causal", entry_attention},
  {"attentionGradient", "query key value weights dy dQuery dKey dValue spare batch heads time keys depth width scale", entry_attention_gradient},
  {"lstm", "gates weights bias cells hidden squashed inner packed time batch units hard all", entry_lstm},
  {"lstmGradient", "gates weights cells squashed dHidden dh dc dGates packed time batch units hard all", entry_lstm_gradient},
  {"gru", "gates weights candidate hidden resetHidden inner time batch units hard all", entry_gru},
  {"gruGradient", "gates weights candidate hidden dHidden dh dGates inner pair time batch units hard all", entry_gru_gradient},
  {"unary", "code x out n a b", entry_unary},
  {"binary", "code a b out n0 n1 n2 a0 a1 a2 b0 b1 b2", entry_binary},
  {"softmax", "x out height width", entry_softmax},
  {"softmaxGradient", "dy y out height width", entry_softmax_gradient},
  {"sum", "x out outer count inner factor", entry_sum},
  {"activationGradient", "code dy y dz bias height width", entry_activation_gradient},
  {"layerNorm", "x gamma beta y mean inverse height width epsilon", entry_layer_norm},
  {"layerNormGradientRows", "x dy gamma mean inverse dx dGammas dBetas height width", entry_layer_norm_gradient_rows},
  {"blockSums", "x sums height width", entry_block_sums},
  {"blockSquares", "x mean squares height width", entry_block_squares},
  {"blockSlopes", "x dy mean variance dGammas dBetas height width epsilon", entry_block_slopes},
  {"joinBlocks", "blocks out count width factor", entry_join_blocks},
  {"batchNormRows", "x gamma beta mean variance y height width epsilon", entry_batch_norm_rows},
  {"batchNormGradientRows", "x dy gamma mean variance dGamma dBeta dx height width epsilon share", entry_batch_norm_gradient_rows},
  {"adam", "p m v g n beta1 rest1 beta2 rest2 epsilon size decay keep", entry_adam},
  {"sumOfSquares", "x n out", entry_sum_of_squares},
  {"statistics", "x n out", entry_statistics},
  {"movement", "before after n out", entry_movement},
};

const int entry_count = sizeof entries / sizeof *entries;
