import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address, DepthwiseGeometry } from '../module/exports.js';
import { channelBias, isKnownActivation, withActivation } from './activation.js';
import {
  type ConvAttrs,
  type ConvInfo,
  convInfo,
  type FusedConvAttrs,
  type FusedConvInputs,
  padded,
} from './conv-geometry.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

/** The size of the table of places in assembly/workspace.ts. */
const MOST_TAPS = 4096;

export const DEPTHWISE_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor; filter: Tensor }, ConvAttrs>(
    tf.DepthwiseConv2dNative,
    'fast',
    (context, { x, filter }, attrs) => {
      const info = depthwiseInfo(x.shape, filter.shape, attrs);
      return areFloats(x, filter) && info ? depthwise(context, x, filter, info, 0, false) : undefined;
    },
  ),

  // Stock turns NaN into 0 where relu is fused.
  kernel<FusedConvInputs, FusedConvAttrs>(
    tf.FusedDepthwiseConv2D,
    'corrected',
    (context, { x, filter, bias, preluActivationWeights }, attrs) => {
      const info = depthwiseInfo(x.shape, filter.shape, attrs);
      if (!info || !areFloats(x, filter, bias, preluActivationWeights)) return undefined;
      if (!isKnownActivation(attrs.activation)) return undefined;
      const vector = channelBias(context, bias, info.outChannels);
      const product = (from: Address, relu: boolean) => depthwise(context, x, filter, info, from, relu);
      return withActivation(context, product, bias, vector, { ...attrs, preluActivationWeights });
    },
  ),

  kernel<{ dy: Tensor; filter: Tensor }, ConvAttrs & { inputShape: number[] }>(
    tf.DepthwiseConv2dNativeBackpropInput,
    'added',
    (context, { dy, filter }, attrs) => {
      const info = depthwiseInfo(attrs.inputShape, filter.shape, attrs);
      return info && areFloats(dy, filter) ? inputGradient(context, dy, filter, info) : undefined;
    },
  ),

  kernel<{ x: Tensor; dy: Tensor }, ConvAttrs & { filterShape: number[] }>(
    tf.DepthwiseConv2dNativeBackpropFilter,
    'added',
    (context, { x, dy }, attrs) => {
      const info = depthwiseInfo(x.shape, attrs.filterShape, attrs);
      return info && areFloats(x, dy) ? filterGradient(context, x, dy, info) : undefined;
    },
  ),
];

/** tfjs has depthwise convolutions with the channels last only. */
function depthwiseInfo(inShape: number[], filterShape: number[], attrs: ConvAttrs): ConvInfo | undefined {
  if (attrs.dataFormat === 'NCHW' || filterShape[0]! * filterShape[1]! > MOST_TAPS) return undefined;
  return convInfo(inShape, filterShape, attrs, true);
}

function depthwise(
  context: KernelContext,
  x: Tensor,
  filter: Tensor,
  info: ConvInfo,
  bias: Address,
  relu: boolean,
): Tensor {
  const out = context.output(info.outShape);
  if (sizeOf(out) === 0) return out;
  const from = repeated(context, x, info);
  const [weights, to] = [context.address(filter), context.address(out)];
  if (!isThreeByThree(info)) {
    context.module.depthwise(from, weights, to, ...geometry(info), bias, relu);
    return out;
  }
  const images = padded(context, from, { ...info, inChannels: info.outChannels });
  const { batchSize, outChannels, outHeight, outWidth, strideHeight, strideWidth } = info;
  // biome-ignore format: the order of depthwise3x3.
  context.module.depthwise3x3(images.address, weights, to, batchSize, images.height, images.width, outChannels, outHeight, outWidth, strideHeight, strideWidth, info.dilationHeight, info.dilationWidth, bias, relu, false);
  return out;
}

function inputGradient(context: KernelContext, dy: Tensor, filter: Tensor, info: ConvInfo): Tensor {
  const out = context.output(info.inShape);
  const times = info.outChannels / info.inChannels;
  const to = times === 1 ? context.address(out) : context.scratch('images', sizeOf(out) * times);
  const { module } = context;
  const [inDy, weights] = [context.address(dy), context.address(filter)];
  if (isThreeByThree(info) && info.strideHeight * info.strideWidth === 1) {
    turnedGradient(context, inDy, weights, to, info);
  } else module.depthwiseInputGradient(inDy, weights, to, ...geometry(info));
  if (times !== 1) module.sumRepeated(to, context.address(out), sizeOf(out), times);
  return out;
}

/** Without strides the gradient is the convolution of dy with the reversed filter. */
function turnedGradient(
  context: KernelContext,
  dy: Address,
  filter: Address,
  dx: Address,
  info: ConvInfo,
): void {
  const { batchSize, inHeight, inWidth, outChannels, outHeight, outWidth, padInfo } = info;
  const [reachH, reachW] = [info.effectiveFilterHeight - 1, info.effectiveFilterWidth - 1];
  const [height, width] = [inHeight + reachH, inWidth + reachW];
  const images = context.scratch('padded', batchSize * height * width * outChannels);
  // biome-ignore format: the order of padImages.
  context.module.padImages(dy, images, batchSize, outHeight, outWidth, outChannels, height, width, reachH - padInfo.top, reachW - padInfo.left, 1, 1);
  // biome-ignore format: the order of depthwise3x3.
  context.module.depthwise3x3(images, filter, dx, batchSize, height, width, outChannels, inHeight, inWidth, 1, 1, info.dilationHeight, info.dilationWidth, 0, false, true);
}

function isThreeByThree({ filterHeight, filterWidth }: ConvInfo): boolean {
  return filterHeight === 3 && filterWidth === 3;
}

function filterGradient(context: KernelContext, x: Tensor, dy: Tensor, info: ConvInfo): Tensor {
  const out = context.output(info.filterShape);
  const from = repeated(context, x, info);
  context.module.depthwiseFilterGradient(from, context.address(dy), context.address(out), ...geometry(info));
  return out;
}

/** A channel with several filters counts as several channels with one each. */
function repeated(context: KernelContext, x: Tensor, info: ConvInfo): Address {
  const times = info.outChannels / info.inChannels;
  if (times === 1) return context.address(x);
  const out = context.scratch('images', sizeOf(x) * times);
  context.module.repeatChannels(context.address(x), out, sizeOf(x) / info.inChannels, info.inChannels, times);
  return out;
}

function geometry(info: ConvInfo): DepthwiseGeometry {
  const { batchSize, inHeight, inWidth, outChannels, outHeight, outWidth, filterHeight, filterWidth } = info;
  const { strideHeight, strideWidth, dilationHeight, dilationWidth, padInfo } = info;
  // biome-ignore format: the order of depthwise.
  return [batchSize, inHeight, inWidth, outChannels, outHeight, outWidth, filterHeight, filterWidth, strideHeight, strideWidth, dilationHeight, dilationWidth, padInfo.top, padInfo.left];
}
