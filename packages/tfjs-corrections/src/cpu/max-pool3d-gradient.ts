import * as tf from '@tensorflow/tfjs-core';
import { type CpuKernel, valuesOf } from './cpu-kernel.js';

/**
 * Stock mixes up height and width of the window when it notes where the maximum was, so that windows that are not square
 * lose their gradient, and takes the last of several maxima, where maxPool and wasm take the first.
 */
export const MAX_POOL3D_GRADIENT: CpuKernel = {
  name: tf.MaxPool3DGrad,
  correct:
    () =>
    ({ inputs, attrs, backend }) => {
      const { dy, input } = inputs as { dy: tf.TensorInfo; input: tf.TensorInfo };
      const { filterSize, strides, pad, dimRoundingMode } = attrs as unknown as tf.MaxPool3DGradAttrs;
      const shape = input.shape as [number, number, number, number, number];
      const info = tf.backend_util.computePool3DInfo(shape, filterSize, strides, 1, pad, dimRoundingMode);
      const [x, gradients] = [valuesOf(backend, input), valuesOf(backend, dy)];
      const dx = new Float32Array(tf.util.sizeFromShape(shape));
      visitWindows(info, (index, places) => {
        let [most, where] = [Number.NEGATIVE_INFINITY, -1];
        for (const place of places) if (x[place]! > most) [most, where] = [x[place]!, place];
        if (where >= 0) dx[where]! += gradients[index]!;
      });
      return backend.makeTensorInfo(shape, 'float32', dx);
    },
};

/** Calls `visit` for each element of the result, with the places in the input that its window covers. */
function visitWindows(
  info: tf.backend_util.Conv3DInfo,
  visit: (index: number, places: readonly number[]) => void,
): void {
  const { batchSize, inChannels, inDepth, inHeight, inWidth, outDepth, outHeight, outWidth, padInfo } = info;
  const depths = rangesOf(outDepth, info.strideDepth, info.filterDepth, padInfo.front, inDepth);
  const heights = rangesOf(outHeight, info.strideHeight, info.filterHeight, padInfo.top, inHeight);
  const widths = rangesOf(outWidth, info.strideWidth, info.filterWidth, padInfo.left, inWidth);
  let index = 0;
  for (let image = 0; image < batchSize; image++)
    for (const depth of depths)
      for (const height of heights)
        for (const width of widths)
          for (let c = 0; c < inChannels; c++) {
            const places: number[] = [];
            for (let d = depth.begin; d < depth.end; d++)
              for (let h = height.begin; h < height.end; h++)
                for (let w = width.begin; w < width.end; w++)
                  places.push((((image * inDepth + d) * inHeight + h) * inWidth + w) * inChannels + c);
            visit(index++, places);
          }
}

/** What each window covers along one axis, without what lies outside. The padding of tfjs may be negative, wrongly. */
function rangesOf(count: number, stride: number, window: number, givenPad: number, size: number) {
  const pad = Math.max(0, givenPad);
  return Array.from({ length: count }, (_, i) => ({
    begin: Math.max(0, i * stride - pad),
    end: Math.min(size, i * stride - pad + window),
  }));
}
