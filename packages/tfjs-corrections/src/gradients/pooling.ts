import * as tf from '@tensorflow/tfjs-core';

interface PoolAttrs {
  filterSize: number | [number, number];
  strides: number | [number, number];
  pad: 'valid' | 'same' | number;
  dimRoundingMode?: 'floor' | 'round' | 'ceil';
}

/** Stock has none: the values of `maxPoolWithArgmax` are those of `maxPool`, and so is their gradient. */
export const MAX_POOL_WITH_ARGMAX_GRADIENT: tf.GradConfig = {
  kernelName: tf.MaxPoolWithArgmax,
  inputsToSave: ['x'],
  outputsToSave: [true, false],
  gradFunc: (dys, saved, attrs) => ({ x: () => maxPoolGradient((dys as tf.Tensor[])[0]!, saved, attrs) }),
};

export const MENDED_POOLING_GRADIENTS: readonly tf.GradConfig[] = [
  {
    // Stock forgets dimRoundingMode, and then has fewer or more windows than the forward pass.
    kernelName: tf.MaxPool,
    inputsToSave: ['x'],
    outputsToSave: [true],
    gradFunc: (dy, saved, attrs) => ({ x: () => maxPoolGradient(dy as tf.Tensor, saved, attrs) }),
  },
  // Stock divides by the size of the window, although at a padded border the mean covers only the elements inside: the
  // gradients there are too small. Here they are scaled up accordingly.
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

function maxPoolGradient(dy: tf.Tensor, saved: tf.Tensor[], attrs: tf.NamedAttrMap): tf.Tensor {
  const [input, output] = saved as [tf.Tensor, tf.Tensor];
  return tf.engine().runKernel(tf.MaxPoolGrad, { dy, input, output }, attrs);
}

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
    // In volumes tfjs has negative padding where strides are larger than the window; kernels take it for 0.
    const begin = i * stride - Math.max(0, pad);
    // A window that lies outside altogether passes nothing on.
    const inside = Math.max(0, Math.min(begin + window, size) - Math.max(begin, 0));
    return inside === 0 ? 0 : window / inside;
  });
  if (scales.every((scale) => scale === 1)) return dy;
  const shape = dy.shape.map((_, axis) => (axis === index + 1 ? windows : 1));
  return tf.mul(dy, tf.reshape(tf.tensor1d(scales), shape));
}
