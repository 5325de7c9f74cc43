export { attention, attentionGradient } from './attention';
export {
  batchNormGradientRows, batchNormRows, blockSlopes, blockSquares, blockSums, joinBlocks, moveAverage,
} from './batch-norm';
export { binary } from './binary';
export { bytesOfFloats, bytesOfInts, compare, floatsOfBytes, floatsOfInts, select } from './compare';
export { conv, convFilterGradient, convFilterGradientPart, packFilter, packFilterReversed, padImages } from './conv';
export { patches3d } from './conv3d';
export {
  depthwise, depthwiseFilterGradient, depthwiseInputGradient, repeatChannels, sumRepeated,
} from './depthwise';
export { depthwise3x3 } from './depthwise3x3';
export { activationGradient } from './fused';
export { gather, segmentSum } from './indexed';
export { layerNorm, layerNormGradientRows } from './layer-norm';
export {
  binaryCrossentropy, binaryCrossentropyGradient, categoricalCrossentropy, categoricalCrossentropyGradient,
  joinTotals, meanSquaredError, meanSquaredErrorGradient, sigmoidCrossentropy, sigmoidCrossentropyGradient,
  softmaxCrossentropy, softmaxCrossentropyGradient,
} from './loss';
export { matMul, product, productPart } from './matmul';
export { adadelta, adagrad, adam, lion, rmsprop, sgd } from './optimizer';
export { averagePool, averagePoolGradient, maxPool, maxPoolGradient } from './pool';
export { maxPool3d } from './pool3d';
export { copyStrided, fill, transpose } from './rearrange';
export { gru, gruGradient, lstm, lstmGradient, sumOfProducts, sumOfSums } from './recurrent';
export { reduce, sum } from './reduce';
export { softmax, softmaxGradient } from './softmax';
export { allFinite, movement, statistics, sumOfSquares } from './statistics';
export { unary } from './unary';
export { useWorkspace, workspaceBytes } from './workspace';
