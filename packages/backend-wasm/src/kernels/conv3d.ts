import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import type { Address } from '../module/exports.js';
import { withoutNegativePads } from '../shapes/volume-padding.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

type Info = tf.backend_util.Conv3DInfo;

interface Conv3dAttrs {
  strides: number | [number, number, number];
  pad: 'valid' | 'same';
  dilations?: number | [number, number, number];
}

/** Floats of patches that are laid out at a time. */
const PATCH_FLOATS = 2 ** 18;

export const CONV3D_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor; filter: Tensor }, Conv3dAttrs>(tf.Conv3D, 'fast', (context, { x, filter }, attrs) => {
    if (!areFloats(x, filter)) return undefined;
    const info = infoOf(x.shape, filter.shape, attrs);
    if (patchSize(info) === 0) return context.zeros(info.outShape);
    const out = context.output(info.outShape);
    inChunks(context, info, (patches, first, count) => {
      layOut(context, context.address(x), patches, first, count, info, false);
      const to = context.address(out) + first * info.outChannels * 4;
      const { outChannels: n } = info;
      const k = patchSize(info);
      // biome-ignore format: the order of product.
      context.module.product(patches, k, false, context.address(filter), n, false, to, count, n, k, 0, false, false);
    });
    return out;
  }),

  // Stock leaves part of the depth out.
  kernel<{ dy: Tensor; filter: Tensor }, Conv3dAttrs & { inputShape: number[] }>(
    tf.Conv3DBackpropInputV2,
    'corrected',
    (context, { dy, filter }, attrs) => {
      if (!areFloats(dy, filter)) return undefined;
      const info = infoOf(attrs.inputShape, filter.shape, attrs);
      const out = context.zeros(info.inShape);
      inChunks(context, info, (patches, first, count) => {
        const from = context.address(dy) + first * info.outChannels * 4;
        const { outChannels: k } = info;
        const n = patchSize(info);
        // biome-ignore format: the order of product.
        context.module.product(from, k, false, context.address(filter), k, true, patches, count, n, k, 0, false, false);
        layOut(context, context.address(out), patches, first, count, info, true);
      });
      return out;
    },
  ),

  kernel<{ x: Tensor; dy: Tensor }, Conv3dAttrs & { filterShape: number[] }>(
    tf.Conv3DBackpropFilterV2,
    'fast',
    (context, { x, dy }, attrs) => {
      if (!areFloats(x, dy)) return undefined;
      const info = infoOf(x.shape, attrs.filterShape, attrs);
      const out = context.zeros(info.filterShape);
      inChunks(context, info, (patches, first, count) => {
        layOut(context, context.address(x), patches, first, count, info, false);
        const from = context.address(dy) + first * info.outChannels * 4;
        const { outChannels: n } = info;
        const m = patchSize(info);
        // biome-ignore format: the order of product.
        context.module.product(patches, m, true, from, n, false, context.address(out), m, n, count, 0, false, true);
      });
      return out;
    },
  ),
];

function infoOf(inShape: number[], filterShape: number[], { strides, pad, dilations }: Conv3dAttrs): Info {
  type Shape = [number, number, number, number, number];
  return withoutNegativePads(
    tf.backend_util.computeConv3DInfo(inShape as Shape, filterShape as Shape, strides, dilations ?? 1, pad),
  );
}

function patchSize({ filterDepth, filterHeight, filterWidth, inChannels }: Info): number {
  return filterDepth * filterHeight * filterWidth * inChannels;
}

/** Goes through the output pixels, some at a time, with room for their patches. */
function inChunks(
  context: KernelContext,
  info: Info,
  visit: (patches: Address, first: number, count: number) => void,
): void {
  const pixels = info.batchSize * info.outDepth * info.outHeight * info.outWidth;
  const size = patchSize(info);
  if (size === 0 || info.outChannels === 0) return;
  const most = Math.max(1, Math.min(pixels, Math.floor(PATCH_FLOATS / size)));
  const patches = context.scratch('patches', most * size);
  for (let first = 0; first < pixels; first += most) visit(patches, first, Math.min(most, pixels - first));
}

function layOut(
  context: KernelContext,
  volume: Address,
  patches: Address,
  first: number,
  count: number,
  info: Info,
  back: boolean,
): void {
  const { padInfo } = info;
  // biome-ignore format: the order of patches3d.
  context.module.patches3d(volume, patches, first, count, info.inDepth, info.inHeight, info.inWidth, info.inChannels, info.outDepth, info.outHeight, info.outWidth, info.filterDepth, info.filterHeight, info.filterWidth, info.strideDepth, info.strideHeight, info.strideWidth, info.dilationDepth, info.dilationHeight, info.dilationWidth, padInfo.front, padInfo.top, padInfo.left, back);
}
