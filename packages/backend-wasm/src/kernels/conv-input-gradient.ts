import type { KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { stridedCopy } from '../shapes/strided-copy.js';
import { type ConvInfo, isEmpty, isPointwise, subFilter, withChannelsLast } from './conv-geometry.js';

/** The gradient of a convolution with respect to its images: dy, convolved with the reversed filter. */
export function convInputGradient(
  context: KernelContext,
  dy: Tensor,
  filter: Tensor,
  info: ConvInfo,
): Tensor {
  if (isEmpty(info)) return context.zeros(info.inShape);
  const out = context.output(info.inShape);
  const weights = context.address(filter);
  withChannelsLast(context, info, dy, out, (from, to) => gradientTo(context, from, weights, to, info));
  return out;
}

function gradientTo(
  context: KernelContext,
  dy: Address,
  filter: Address,
  out: Address,
  info: ConvInfo,
): void {
  const { batchSize, inChannels, outChannels, inHeight, inWidth } = info;
  if (isPointwise(info)) {
    const pixels = batchSize * inHeight * inWidth;
    context.module.matMul(dy, false, filter, true, out, pixels, inChannels, outChannels, 0, false, 1, 0, 0);
  } else if (info.strideHeight * info.strideWidth === 1 || info.dilationHeight * info.dilationWidth > 1) {
    spreadGradient(context, dy, filter, out, info);
  } else stridedGradient(context, dy, filter, out, info);
}

/** With zeros between the pixels of dy where the convolution had strides. */
function spreadGradient(
  context: KernelContext,
  dy: Address,
  filter: Address,
  out: Address,
  info: ConvInfo,
): void {
  const { module } = context;
  const { batchSize: n, inHeight, inWidth, inChannels, outChannels, filterHeight, filterWidth } = info;
  const [reachH, reachW] = [info.effectiveFilterHeight - 1, info.effectiveFilterWidth - 1];
  const [height, width] = [inHeight + reachH, inWidth + reachW];
  const taps = filterHeight * filterWidth;
  const images = context.scratch('padded', n * height * width * outChannels);
  const panels = context.scratch('panels', taps * outChannels * Math.ceil(inChannels / 8) * 8);
  // biome-ignore format: the order of padImages.
  module.padImages(dy, images, n, info.outHeight, info.outWidth, outChannels, height, width, reachH - info.padInfo.top, reachW - info.padInfo.left, info.strideHeight, info.strideWidth);
  module.packFilterReversed(filter, panels, taps, inChannels, outChannels);
  // biome-ignore format: the order of conv.
  module.conv(images, panels, out, n, height, width, outChannels, inHeight, inWidth, inChannels, filterHeight, filterWidth, 1, 1, info.dilationHeight, info.dilationWidth, 0, false);
}

/**
 * With strides, the pixels of the image fall into as many groups as a step has positions, and each group met only
 * every stride-th row and column of the filter. Each is a plain convolution: nothing is multiplied with zeros.
 */
function stridedGradient(
  context: KernelContext,
  dy: Address,
  filter: Address,
  out: Address,
  info: ConvInfo,
): void {
  const { module } = context;
  const { batchSize: n, inWidth, inChannels, outChannels, inHeight } = info;
  const vertical = groups(inHeight, info.filterHeight, info.strideHeight, info.padInfo.top);
  const horizontal = groups(inWidth, info.filterWidth, info.strideWidth, info.padInfo.left);
  const [before, left] = [mostTaps(vertical) - 1, mostTaps(horizontal) - 1];
  const height = before + Math.max(info.outHeight, ...vertical.map(({ last }) => last + 1));
  const width = left + Math.max(info.outWidth, ...horizontal.map(({ last }) => last + 1));
  const images = context.scratch('padded', n * height * width * outChannels);
  // biome-ignore format: the order of padImages.
  module.padImages(dy, images, n, info.outHeight, info.outWidth, outChannels, height, width, before, left, 1, 1);
  if (vertical.some(isUnmet) || horizontal.some(isUnmet))
    module.fill(out, n * inHeight * inWidth * inChannels, 0);
  for (const row of vertical) {
    for (const column of horizontal) {
      const [rows, columns, taps] = [row.pixels, column.pixels, row.taps * column.taps];
      if (taps === 0 || rows === 0 || columns === 0) continue;
      const part = subFilter(
        context,
        filter,
        info,
        { first: row.phase, count: row.taps },
        { first: column.phase, count: column.taps },
      );
      const panels = context.scratch('panels', taps * outChannels * Math.ceil(inChannels / 8) * 8);
      const result = context.scratch('group', n * rows * columns * inChannels);
      const top = row.first - (row.taps - 1) + before;
      const start = column.first - (column.taps - 1) + left;
      module.packFilterReversed(part, panels, taps, inChannels, outChannels);
      const from = images + (top * width + start) * outChannels * 4;
      // biome-ignore format: the order of conv.
      module.conv(from, panels, result, n, height, width, outChannels, rows, columns, inChannels, row.taps, column.taps, 1, 1, 1, 1, 0, false);
      stridedCopy(context, result, out + (row.start * inWidth + column.start) * inChannels * 4, [
        { size: n, from: rows * columns * inChannels, to: inHeight * inWidth * inChannels },
        { size: rows, from: columns * inChannels, to: info.strideHeight * inWidth * inChannels },
        { size: columns, from: inChannels, to: info.strideWidth * inChannels },
        { size: inChannels, from: 1, to: 1 },
      ]);
    }
  }
}

interface Group {
  /** The first row of the filter that meets these pixels; the others are a stride apart. */
  readonly phase: number;
  readonly taps: number;
  /** The first of these pixels; the others are a stride apart. */
  readonly start: number;
  readonly pixels: number;
  /** The rows of dy that the first row of the filter links to the first and to the last of these pixels. */
  readonly first: number;
  readonly last: number;
}

function groups(size: number, filter: number, stride: number, pad: number): Group[] {
  return Array.from({ length: stride }, (_, phase) => {
    const first = Math.ceil((pad - phase) / stride);
    const start = first * stride + phase - pad;
    const pixels = Math.max(0, Math.ceil((size - start) / stride));
    const taps = Math.max(0, Math.ceil((filter - phase) / stride));
    return { phase, taps, start, pixels, first, last: first + pixels - 1 };
  });
}

function mostTaps(all: readonly Group[]): number {
  return Math.max(...all.map(({ taps }) => taps));
}

function isUnmet({ taps, pixels }: Group): boolean {
  return taps === 0 && pixels > 0;
}
