import * as tf from '@tensorflow/tfjs-core';
import { sizeOf } from '../backend/kernel-context.js';
import type { Tensor } from '../backend/wasm-backend.js';
import { BackendWasmError } from '../errors.js';
import { throughFloats } from './rearrange.js';
import { kernel, type TrainingKernel } from './training-kernel.js';

export const INDEXED_KERNELS: readonly TrainingKernel[] = [
  // Stock is wrong with batches, and without elements.
  kernel<{ x: Tensor; indices: Tensor }, { axis: number; batchDims: number }>(
    tf.GatherV2,
    'corrected',
    (context, { x, indices }, { axis: givenAxis, batchDims }) => {
      if (indices.dtype !== 'int32') return undefined;
      if (x.dtype === 'bool') {
        const attrs = { axis: givenAxis, batchDims };
        return throughFloats(context, x, (floats) => context.run(tf.GatherV2, { x: floats, indices }, attrs));
      }
      if (x.dtype !== 'float32' && x.dtype !== 'int32') return undefined;
      const axis = tf.util.parseAxisParam(givenAxis, x.shape)[0]!;
      const size = (shape: number[]) => tf.util.sizeFromShape(shape);
      const own = indices.shape.slice(batchDims);
      const out = context.output([...x.shape.slice(0, axis), ...own, ...x.shape.slice(axis + 1)], x.dtype);
      const [outer, length] = [size(x.shape.slice(batchDims, axis)), x.shape[axis]!];
      const [count, inner] = [size(own), size(x.shape.slice(axis + 1))];
      const batch = size(x.shape.slice(0, batchDims));
      let bad = -1;
      for (let i = 0; i < batch && bad < 0; i++) {
        const from = context.address(x) + i * outer * length * inner * 4;
        const to = context.address(out) + i * outer * count * inner * 4;
        const places = context.address(indices) + i * count * 4;
        bad = context.module.gather(from, places, to, outer, length, count, inner);
        if (bad >= 0) bad += i * count;
      }
      if (bad < 0) return out;
      const index = context.backend.typedArrayFromHeap(indices)[bad];
      context.dispose(out);
      throw new BackendWasmError(
        'BAD_INDEX',
        `gather: the index ${index} is not in [0, ${length - 1}], the range of axis ${axis} of a tensor of shape [${x.shape}].`,
      );
    },
  ),

  // The gradient of gather, and so of every embedding.
  kernel<{ x: Tensor; segmentIds: Tensor }, { numSegments: number }>(
    tf.UnsortedSegmentSum,
    'added',
    (context, { x, segmentIds }, { numSegments }) => {
      const rank = segmentIds.shape.length;
      if (!tf.util.arraysEqual(segmentIds.shape, x.shape.slice(0, rank))) {
        throw new BackendWasmError(
          'UNSUPPORTED',
          `unsortedSegmentSum: the segments have the shape [${segmentIds.shape}], with which the shape [${x.shape}] of ` +
            'the tensor would have to begin. Give one segment for each of its rows.',
        );
      }
      if (x.dtype !== 'float32' && x.dtype !== 'int32') return undefined;
      const count = sizeOf(segmentIds);
      const out = context.output([numSegments, ...x.shape.slice(rank)], x.dtype);
      const inner = tf.util.sizeFromShape(out.shape.slice(1));
      if (x.dtype === 'int32') {
        const [values, places, sums] = [x, segmentIds, out].map((each) =>
          context.backend.typedArrayFromHeap(each),
        ) as [Int32Array, Int32Array, Int32Array];
        sums.fill(0);
        for (let i = 0; i < count; i++) {
          const place = places[i]!;
          if (place < 0 || place >= numSegments) continue;
          for (let j = 0; j < inner; j++) sums[place * inner + j]! += values[i * inner + j]!;
        }
        return out;
      }
      // biome-ignore format: the order of segmentSum.
      context.module.segmentSum(context.address(x), context.address(segmentIds), context.address(out), count, inner, numSegments);
      return out;
    },
  ),

  // Stock writes 4-byte integers whatever the type: floats come out as almost 0, booleans are written past their end.
  kernel<{ indices: Tensor }, { depth: number; onValue: number; offValue: number; dtype: tf.DataType }>(
    tf.OneHot,
    'corrected',
    (context, { indices }, { depth, onValue, offValue, dtype }) => {
      const out = context.output([...indices.shape, depth], dtype);
      const values = context.backend.typedArrayFromHeap(out).fill(offValue);
      const places = context.backend.typedArrayFromHeap(indices);
      for (let i = 0; i < places.length; i++) {
        const place = places[i]!;
        if (place >= 0 && place < depth) values[i * depth + place] = onValue;
      }
      return out;
    },
  ),

  // Stock divides by zero where a row or the wish is empty.
  kernel<{ x: Tensor }, { k: number }>(tf.TopK, 'corrected', (context, { x }, { k }) => {
    const shape = [...x.shape.slice(0, -1), k];
    if (tf.util.sizeFromShape(shape) > 0) return undefined;
    return [context.output(shape, x.dtype), context.output(shape, 'int32')];
  }),

  // Stock leaves undefined contents where nothing is updated.
  kernel<{ tensor: Tensor; indices: Tensor; updates: Tensor }>(
    tf.TensorScatterUpdate,
    'corrected',
    (context, { tensor, indices, updates }) => {
      const { numUpdates, sliceRank, sliceSize, strides } = tf.backend_util.calculateShapes(
        updates,
        indices,
        tensor.shape,
      );
      const out = context.output(tensor.shape, tensor.dtype);
      const values = context.backend.typedArrayFromHeap(out);
      values.set(context.backend.typedArrayFromHeap(tensor));
      const places = context.backend.typedArrayFromHeap(indices);
      const news = context.backend.typedArrayFromHeap(updates);
      for (let i = 0; i < numUpdates; i++) {
        let place = 0;
        for (let j = 0; j < sliceRank; j++) place += places[i * sliceRank + j]! * strides[j]!;
        if (place < 0 || (place + 1) * sliceSize > values.length) {
          const index = [...places.subarray(i * sliceRank, (i + 1) * sliceRank)];
          context.dispose(out);
          throw new BackendWasmError(
            'BAD_INDEX',
            `tensorScatterUpdate: the index [${index}] is outside of a tensor of shape [${tensor.shape}].`,
          );
        }
        for (let k = 0; k < sliceSize; k++) {
          values[place * sliceSize + k] = updates.shape.length === 0 ? news[0]! : news[i * sliceSize + k]!;
        }
      }
      return out;
    },
  ),
];
