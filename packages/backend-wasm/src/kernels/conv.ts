import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { BINARY } from '../module/operation-codes.js';
import { type Activation, activate, isKnownActivation } from './activation.js';
import {
  type ConvAttrs,
  type ConvInfo,
  channelsLast,
  convInfo,
  isEmpty,
  isPointwise,
  padded,
} from './conv-geometry.js';
import { convInputGradient } from './conv-input-gradient.js';
import { binaryInPlace } from './elementwise.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface FusedInputs {
  x: Tensor;
  filter: Tensor;
  bias?: Tensor;
  preluActivationWeights?: Tensor;
}

export const CONV_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor; filter: Tensor }, ConvAttrs>(tf.Conv2D, 'fast', (context, { x, filter }, attrs) =>
    areFloats(x, filter)
      ? convolve(context, x, filter, convInfo(x.shape, filter.shape, attrs), 0, false)
      : undefined,
  ),

  // Stock turns NaN into 0 where relu is fused.
  kernel<FusedInputs, ConvAttrs & Omit<Activation, 'preluActivationWeights'>>(
    tf.FusedConv2D,
    'corrected',
    (context, { x, filter, bias, preluActivationWeights }, attrs) => {
      if (!areFloats(x, filter, bias, preluActivationWeights) || !isKnownActivation(attrs.activation))
        return undefined;
      const info = convInfo(x.shape, filter.shape, attrs);
      const perChannel = bias !== undefined && sizeOf(bias) === info.outChannels;
      const relu = attrs.activation === 'relu' && (perChannel || !bias);
      const out = convolve(context, x, filter, info, perChannel ? context.address(bias) : 0, relu);
      if (bias && !perChannel) {
        binaryInPlace(
          context,
          context.address(out),
          out.shape,
          context.address(bias),
          bias.shape,
          BINARY.add,
        );
      }
      activate(context, out, { ...attrs, preluActivationWeights }, relu);
      return out;
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
      convFilterGradient(context, x, dy, convInfo(x.shape, attrs.filterShape, attrs)),
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
  const out = context.output(info.outShape);
  if (sizeOf(out) === 0) return out;
  const { batchSize, inChannels, outChannels, inHeight, inWidth, outHeight, outWidth } = info;
  if (info.dataFormat === 'channelsLast') {
    convolveTo(context, context.address(x), context.address(filter), context.address(out), info, bias, relu);
    return out;
  }
  const images = channelsLast(
    context,
    'images',
    context.address(x),
    batchSize,
    inChannels,
    inHeight * inWidth,
  );
  const result = context.scratch('result', sizeOf(out));
  convolveTo(context, images, context.address(filter), result, info, bias, relu);
  context.module.transpose(result, context.address(out), batchSize, outHeight * outWidth, outChannels);
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
  const { batchSize, inChannels, outChannels, inHeight, inWidth, outHeight, outWidth } = info;
  let [inX, inDy] = [context.address(x), context.address(dy)];
  if (info.dataFormat === 'channelsFirst') {
    inX = channelsLast(context, 'images', inX, batchSize, inChannels, inHeight * inWidth);
    inDy = channelsLast(context, 'result', inDy, batchSize, outChannels, outHeight * outWidth);
  }
  if (isPointwise(info)) {
    const pixels = batchSize * outHeight * outWidth;
    module.matMul(
      inX,
      true,
      inDy,
      false,
      context.address(out),
      inChannels,
      outChannels,
      pixels,
      0,
      false,
      1,
      0,
      0,
    );
    return out;
  }
  const images = padded(context, inX, info);
  // biome-ignore format: the order of convFilterGradient.
  module.convFilterGradient(images.address, inDy, context.address(out), batchSize, images.height, images.width, inChannels, outHeight, outWidth, outChannels, info.filterHeight, info.filterWidth, info.strideHeight, info.strideWidth, info.dilationHeight, info.dilationWidth);
  return out;
}
