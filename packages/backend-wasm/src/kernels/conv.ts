import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { BINARY, UNARY } from '../module/operation-codes.js';
import { isKnownActivation, withActivation } from './activation.js';
import {
  type ConvAttrs,
  type ConvInfo,
  channelsLast,
  convInfo,
  type FusedConvAttrs,
  type FusedConvInputs,
  isEmpty,
  isPointwise,
  padded,
  withChannelsLast,
} from './conv-geometry.js';
import { convInputGradient } from './conv-input-gradient.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const CONV_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor; filter: Tensor }, ConvAttrs>(tf.Conv2D, 'fast', (context, { x, filter }, attrs) =>
    areFloats(x, filter)
      ? convolve(context, x, filter, convInfo(x.shape, filter.shape, attrs), 0, false)
      : undefined,
  ),

  // Stock turns NaN into 0 where relu is fused.
  kernel<FusedConvInputs, FusedConvAttrs>(
    tf.FusedConv2D,
    'corrected',
    (context, { x, filter, bias, preluActivationWeights }, attrs) => {
      if (!areFloats(x, filter, bias, preluActivationWeights) || !isKnownActivation(attrs.activation))
        return undefined;
      const info = convInfo(x.shape, filter.shape, attrs);
      // With the channels first it may be [channels, 1, 1].
      const perChannel = bias && sizeOf(bias) === info.outChannels ? context.address(bias) : undefined;
      const product = (from: Address, relu: boolean) => convolve(context, x, filter, info, from, relu);
      const vector = bias ? perChannel : 0;
      return withActivation(context, product, bias, vector, { ...attrs, preluActivationWeights });
    },
  ),

  kernel<{ dy: Tensor; filter: Tensor }, ConvAttrs & { inputShape: number[] }>(
    tf.Conv2DBackpropInput,
    'fast',
    (context, { dy, filter }, attrs) => {
      if (!areFloats(dy, filter)) return undefined;
      return convInputGradient(context, dy, filter, convInfo(attrs.inputShape, filter.shape, attrs));
    },
  ),

  kernel<{ x: Tensor; dy: Tensor }, ConvAttrs & { filterShape: number[] }>(
    tf.Conv2DBackpropFilter,
    'added',
    (context, { x, dy }, attrs) =>
      areFloats(x, dy)
        ? convFilterGradient(context, x, dy, convInfo(x.shape, attrs.filterShape, attrs))
        : undefined,
  ),
];

/** The convolution of images with a filter; `bias` is the address of one number for each filter, or 0. */
function convolve(
  context: KernelContext,
  x: Tensor,
  filter: Tensor,
  info: ConvInfo,
  bias: Address,
  relu: boolean,
): Tensor {
  if (info.inChannels === 0) return biasOnly(context, info, bias, relu);
  const out = context.output(info.outShape);
  if (sizeOf(out) === 0) return out;
  const weights = context.address(filter);
  withChannelsLast(context, info, x, out, (from, to) =>
    convolveTo(context, from, weights, to, info, bias, relu),
  );
  return out;
}

/** The convolution of images without channels. */
function biasOnly(context: KernelContext, info: ConvInfo, bias: Address, relu: boolean): Tensor {
  const out = context.zeros(info.outShape);
  const { module } = context;
  const [to, size, channels] = [context.address(out), sizeOf(out), info.outChannels];
  const isLast = info.dataFormat === 'channelsLast';
  const pixels = isLast ? 1 : info.outHeight * info.outWidth;
  // biome-ignore format: the order of binary.
  if (bias) module.binary(BINARY.add, to, bias, to, size / channels / pixels, channels, pixels, channels * pixels, pixels, 1, 0, 1, 0);
  if (relu) module.unary(UNARY.relu, to, to, size, 0, 0);
  return out;
}

function convolveTo(
  context: KernelContext,
  x: Address,
  filter: Address,
  out: Address,
  info: ConvInfo,
  bias: Address,
  relu: boolean,
): void {
  const { module } = context;
  const { batchSize, inChannels, outChannels, outHeight, outWidth, filterHeight, filterWidth } = info;
  if (isPointwise(info)) {
    const pixels = batchSize * outHeight * outWidth;
    module.matMul(x, false, filter, false, out, pixels, outChannels, inChannels, bias, relu, 1, 0, 0);
    return;
  }
  const depth = filterHeight * filterWidth * inChannels;
  const panels = context.scratch('panels', depth * Math.ceil(outChannels / 8) * 8);
  const images = padded(context, x, info);
  module.packFilter(filter, panels, depth, outChannels);
  // biome-ignore format: the order of conv.
  module.conv(images.address, panels, out, batchSize, images.height, images.width, inChannels, outHeight, outWidth, outChannels, filterHeight, filterWidth, info.strideHeight, info.strideWidth, info.dilationHeight, info.dilationWidth, bias, relu);
}

/** The gradient of a convolution with respect to its filter. */
function convFilterGradient(context: KernelContext, x: Tensor, dy: Tensor, info: ConvInfo): Tensor {
  if (isEmpty(info)) return context.zeros(info.filterShape);
  const out = context.output(info.filterShape);
  const { module } = context;
  const { batchSize, inChannels, outChannels, outHeight, outWidth } = info;
  const isLast = info.dataFormat === 'channelsLast';
  const inX = isLast ? context.address(x) : channelsLast(context, 'images', x);
  const inDy = isLast ? context.address(dy) : channelsLast(context, 'result', dy);
  if (isPointwise(info)) {
    const pixels = batchSize * outHeight * outWidth;
    // biome-ignore format: the order of matMul.
    module.matMul(inX, true, inDy, false, context.address(out), inChannels, outChannels, pixels, 0, false, 1, 0, 0);
    return out;
  }
  const images = padded(context, inX, info);
  // biome-ignore format: the order of convFilterGradient.
  module.convFilterGradient(images.address, inDy, context.address(out), batchSize, images.height, images.width, inChannels, outHeight, outWidth, outChannels, info.filterHeight, info.filterWidth, info.strideHeight, info.strideWidth, info.dilationHeight, info.dilationWidth);
  return out;
}
