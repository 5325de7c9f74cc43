import * as tf from '@tensorflow/tfjs-core';
import { type KernelContext, sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BackendWasmError } from '../errors.js';
import type { Address } from '../module/exports.js';
import { stridedCopy } from '../shapes/strided-copy.js';
import type { Activation } from './activation.js';

export type ConvInfo = tf.backend_util.Conv2DInfo;

export interface ConvAttrs {
  strides: number | [number, number];
  pad: 'valid' | 'same' | number | tf.backend_util.ExplicitPadding;
  dataFormat?: 'NHWC' | 'NCHW';
  dilations?: number | [number, number] | null;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

type Shape4 = [number, number, number, number];

export interface FusedConvInputs {
  x: Tensor;
  filter: Tensor;
  bias?: Tensor;
  preluActivationWeights?: Tensor;
}

export type FusedConvAttrs = ConvAttrs & Omit<Activation, 'preluActivationWeights'>;

export function convInfo(
  inShape: number[],
  filterShape: number[],
  attrs: ConvAttrs,
  depthwise = false,
): ConvInfo {
  const info = tf.backend_util.computeConv2DInfo(
    inShape as Shape4,
    filterShape as Shape4,
    attrs.strides,
    attrs.dilations ?? 1,
    attrs.pad,
    attrs.dimRoundingMode,
    depthwise,
    tf.backend_util.convertConv2DDataFormat(attrs.dataFormat ?? 'NHWC'),
  );
  // tfjs does not look, and makes a tensor with fewer than no rows.
  if (info.outHeight < 0 || info.outWidth < 0) {
    throw new BackendWasmError(
      'UNSUPPORTED',
      `A filter of shape [${filterShape}] does not fit into images of shape [${inShape}]: without padding they need at ` +
        `least ${info.effectiveFilterHeight} rows and ${info.effectiveFilterWidth} columns. Use the padding 'same', a ` +
        'smaller filter or larger images.',
    );
  }
  return info;
}

/** A 1 x 1 filter that meets every pixel once: a plain product of matrices. */
export function isPointwise(info: ConvInfo): boolean {
  const { filterHeight, filterWidth, strideHeight, strideWidth, padInfo } = info;
  const one = filterHeight === 1 && filterWidth === 1 && strideHeight === 1 && strideWidth === 1;
  return (
    one &&
    padInfo.top === 0 &&
    padInfo.left === 0 &&
    info.inHeight === info.outHeight &&
    info.inWidth === info.outWidth
  );
}

export function isEmpty(info: ConvInfo): boolean {
  return [...info.inShape, ...info.outShape, ...info.filterShape].includes(0);
}

export interface PaddedImages {
  readonly address: Address;
  readonly height: number;
  readonly width: number;
}

/** The images with zeros around them, as far as the filter reaches; the images themselves where it needs none. */
export function padded(context: KernelContext, x: Address, info: ConvInfo): PaddedImages {
  const { batchSize, inHeight, inWidth, inChannels, padInfo } = info;
  const height = (info.outHeight - 1) * info.strideHeight + info.effectiveFilterHeight;
  const width = (info.outWidth - 1) * info.strideWidth + info.effectiveFilterWidth;
  if (padInfo.top === 0 && padInfo.left === 0 && height <= inHeight && width <= inWidth) {
    return { address: x, height: inHeight, width: inWidth };
  }
  const address = context.scratch('padded', batchSize * height * width * inChannels);
  // biome-ignore format: the order of padImages.
  context.module.padImages(x, address, batchSize, inHeight, inWidth, inChannels, height, width, padInfo.top, padInfo.left, 1, 1);
  return { address, height, width };
}

/**
 * All work is done with the channels last: gives `run` images of that kind and room for its result, and puts the result
 * into the format of the tensors.
 */
export function withChannelsLast(
  context: KernelContext,
  { dataFormat }: ConvInfo,
  x: Tensor,
  out: Tensor,
  run: (from: Address, to: Address) => void,
): void {
  if (dataFormat === 'channelsLast') {
    run(context.address(x), context.address(out));
    return;
  }
  const images = channelsLast(context, 'images', x);
  const result = context.scratch('result', sizeOf(out));
  run(images, result);
  const [n, channels, height, width] = out.shape as Shape4;
  context.module.transpose(result, context.address(out), n, height * width, channels);
}

/** Images [n, channels, height, width] as [n, height, width, channels], in scratch memory of this name. */
export function channelsLast(context: KernelContext, name: string, x: Tensor): Address {
  const [n, channels, height, width] = x.shape as Shape4;
  const out = context.scratch(name, sizeOf(x));
  context.module.transpose(context.address(x), out, n, channels, height * width);
  return out;
}

/** Every stride-th row and column of a filter [height, width, channels, filters], starting at `first`. */
export function subFilter(
  context: KernelContext,
  filter: Address,
  info: ConvInfo,
  rows: { first: number; count: number },
  columns: { first: number; count: number },
): Address {
  const tap = info.inChannels * info.outChannels;
  const out = context.scratch('sub-filter', rows.count * columns.count * tap);
  const from = filter + (rows.first * info.filterWidth + columns.first) * tap * 4;
  stridedCopy(context, from, out, [
    { size: rows.count, from: info.strideHeight * info.filterWidth * tap, to: columns.count * tap },
    { size: columns.count, from: info.strideWidth * tap, to: tap },
    { size: tap, from: 1, to: 1 },
  ]);
  return out;
}
