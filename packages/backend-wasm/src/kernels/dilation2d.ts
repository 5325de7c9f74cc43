import * as tf from '@tensorflow/tfjs-core';
import { areFloats, type KernelContext } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

interface DilationAttrs {
  strides: number | [number, number];
  pad: 'valid' | 'same' | number;
  dilations: number | [number, number];
}

/**
 * Greyscale dilation: the largest sum of an element and its weight in each window. Stock starts from the smallest
 * positive number, so that it misses every maximum that is not positive. Rarely used, hence plain loops.
 */
export const DILATION2D_KERNELS: readonly TrainingKernel[] = [
  kernel<{ x: Tensor; filter: Tensor }, DilationAttrs>(
    tf.Dilation2D,
    'corrected',
    (context, inputs, attrs) => {
      if (!areFloats(inputs.x, inputs.filter)) return undefined;
      const out = context.output(infoOf(inputs.x, inputs.filter, attrs).outShape);
      const y = context.backend.typedArrayFromHeap(out);
      visitMaxima(context, inputs, attrs, (index, maximum) => {
        y[index] = maximum;
      });
      return out;
    },
  ),

  gradient(tf.Dilation2DBackpropInput, 'x'),
  gradient(tf.Dilation2DBackpropFilter, 'filter'),
];

function gradient(name: string, of: 'x' | 'filter'): TrainingKernel {
  type Inputs = { x: Tensor; filter: Tensor; dy: Tensor };
  return kernel<Inputs, DilationAttrs>(name, 'corrected', (context, inputs, attrs) => {
    if (!areFloats(inputs.x, inputs.filter, inputs.dy)) return undefined;
    const out = context.zeros(inputs[of].shape);
    const dy = context.backend.typedArrayFromHeap(inputs.dy);
    const gradients = context.backend.typedArrayFromHeap(out);
    visitMaxima(context, inputs, attrs, (index, _maximum, inX, inFilter) => {
      const place = of === 'x' ? inX : inFilter;
      if (place >= 0) gradients[place] = gradients[place]! + dy[index]!;
    });
    return out;
  });
}

function infoOf(x: Tensor, filter: Tensor, { strides, pad, dilations }: DilationAttrs) {
  return tf.backend_util.computeDilation2DInfo(
    x.shape as [number, number, number, number],
    filter.shape as [number, number, number],
    strides,
    pad,
    'NHWC',
    dilations,
  );
}

/** Calls `visit` for each element of the result, with where the maximum was in x and in the filter. */
function visitMaxima(
  context: KernelContext,
  { x, filter }: { x: Tensor; filter: Tensor },
  attrs: DilationAttrs,
  visit: (index: number, maximum: number, inX: number, inFilter: number) => void,
): void {
  const info = infoOf(x, filter, attrs);
  const { batchSize, inHeight, inWidth, inChannels, outHeight, outWidth, padInfo } = info;
  const values = context.backend.typedArrayFromHeap(x);
  const weights = context.backend.typedArrayFromHeap(filter);
  let index = 0;
  for (let image = 0; image < batchSize; image++) {
    for (let oh = 0; oh < outHeight; oh++) {
      for (let ow = 0; ow < outWidth; ow++) {
        for (let c = 0; c < inChannels; c++) {
          let maximum = Number.NEGATIVE_INFINITY;
          let [inX, inFilter] = [-1, -1];
          for (let kh = 0; kh < info.filterHeight; kh++) {
            const h = oh * info.strideHeight - padInfo.top + kh * info.dilationHeight;
            if (h < 0 || h >= inHeight) continue;
            for (let kw = 0; kw < info.filterWidth; kw++) {
              const w = ow * info.strideWidth - padInfo.left + kw * info.dilationWidth;
              if (w < 0 || w >= inWidth) continue;
              const place = ((image * inHeight + h) * inWidth + w) * inChannels + c;
              const weight = (kh * info.filterWidth + kw) * inChannels + c;
              const value = values[place]! + weights[weight]!;
              if (value > maximum) [maximum, inX, inFilter] = [value, place, weight];
            }
          }
          visit(index++, maximum, inX, inFilter);
        }
      }
    }
  }
}
