import * as tf from '@tensorflow/tfjs-core';

interface PoolAttrs {
  filterSize: number | [number, number];
  strides: number | [number, number];
  pad: 'valid' | 'same' | number;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

/**
 * Stock divides by the size of the window, although at a padded border the mean covers only the elements inside: the
 * gradients there are too small. Here they are scaled up accordingly.
 */
export const MENDED_POOLING_GRADIENTS: readonly tf.GradConfig[] = [
  averagePool(tf.AvgPool, tf.AvgPoolGrad, (shape, { filterSize, strides, pad, dimRoundingMode }) => {
    const info = tf.backend_util.computePool2DInfo(
      shape as [number, number, number, number],
      filterSize,
      strides,
      1,
      pad,
      dimRoundingMode,
    );
    const { inHeight, inWidth, outHeight, outWidth, filterHeight, filterWidth, padInfo } = info;
    return [
      {
        size: inHeight,
        windows: outHeight,
        window: filterHeight,
        stride: info.strideHeight,
        pad: padInfo.top,
      },
      { size: inWidth, windows: outWidth, window: filterWidth, stride: info.strideWidth, pad: padInfo.left },
    ];
  }),
  averagePool(tf.AvgPool3D, tf.AvgPool3DGrad, (shape, { filterSize, strides, pad, dimRoundingMode }) => {
    const info = tf.backend_util.computePool3DInfo(
      shape as [number, number, number, number, number],
      filterSize as number,
      strides as number,
      1,
      pad,
      dimRoundingMode,
    );
    const { inDepth, inHeight, inWidth, outDepth, outHeight, outWidth, padInfo } = info;
    const { filterDepth, filterHeight, filterWidth } = info;
    return [
      { size: inDepth, windows: outDepth, window: filterDepth, stride: info.strideDepth, pad: padInfo.front },
      {
        size: inHeight,
        windows: outHeight,
        window: filterHeight,
        stride: info.strideHeight,
        pad: padInfo.top,
      },
      { size: inWidth, windows: outWidth, window: filterWidth, stride: info.strideWidth, pad: padInfo.left },
    ];
  }),
];

interface Axis {
  size: number;
  windows: number;
  window: number;
  stride: number;
  pad: number;
}

function averagePool(
  kernelName: string,
  backprop: string,
  axesOf: (shape: number[], attrs: PoolAttrs) => Axis[],
): tf.GradConfig {
  return {
    kernelName,
    inputsToSave: ['x'],
    gradFunc: (dy, [x], attrs) => ({
      x: () => {
        const scaled = axesOf(x!.shape, attrs as unknown as PoolAttrs).reduce(scaleBorders, dy as tf.Tensor);
        return tf.engine().runKernel(backprop, { dy: scaled, input: x! }, attrs);
      },
    }),
  };
}

function scaleBorders(dy: tf.Tensor, { size, windows, window, stride, pad }: Axis, index: number): tf.Tensor {
  const scales = Array.from({ length: windows }, (_, i) => {
    const begin = i * stride - pad;
    return window / (Math.min(begin + window, size) - Math.max(begin, 0));
  });
  if (scales.every((scale) => scale === 1)) return dy;
  const shape = dy.shape.map((_, axis) => (axis === index + 1 ? windows : 1));
  return tf.mul(dy, tf.reshape(tf.tensor1d(scales), shape));
}
