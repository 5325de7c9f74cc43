import * as tf from '@tensorflow/tfjs-core';
import { dilateFilter } from '../gradients/spread.js';
import { byCpu, type NativeArgs, type NativeKernel } from './native-kernel.js';

type Shape4D = [number, number, number, number];

/**
 * tfjs-node refuses padding by numbers; TensorFlow's kernels on the CPU refuse depthwise convolutions with dilations or
 * unequal strides, and volumes with dilations. Padding is done first and a dilated filter is spelled out with
 * zeros, which are the same convolutions; the rest is left to cpu.
 */
export const CONVOLUTION_KERNELS: readonly NativeKernel[] = [
  ...[tf.Conv2D, tf.FusedConv2D].map((name) => forward(name, false)),
  ...[tf.DepthwiseConv2dNative, tf.FusedDepthwiseConv2D].map((name) => forward(name, true)),
  inputGradient(tf.Conv2DBackpropInput, false),
  inputGradient(tf.DepthwiseConv2dNativeBackpropInput, true),
  filterGradient(tf.Conv2DBackpropFilter, false),
  filterGradient(tf.DepthwiseConv2dNativeBackpropFilter, true),
  {
    name: tf.Conv3D,
    correct: (stock) => (args) => {
      const dilations = perAxis(args.attrs.dilations, 3);
      if (dilations.every((dilation) => dilation === 1)) return stock(args);
      return tf.tidy(() => {
        const filter = dilateFilter(args.inputs.filter!, dilations);
        return composed(
          stock({ ...args, inputs: { ...args.inputs, filter }, attrs: plain(args, [1, 1, 1]) }),
        );
      });
    },
  },
];

function forward(name: string, depthwise: boolean): NativeKernel {
  return {
    name,
    correct: (stock) => (args) => {
      if (isLeftToCpu(args, depthwise)) return byCpu(name)(args);
      const { x, filter } = args.inputs as { x: tf.Tensor; filter: tf.Tensor };
      const dilations = perAxis(args.attrs.dilations, 2);
      const isDilated = depthwise && dilations.some((dilation) => dilation > 1);
      const around = paddingOf(x.shape as Shape4D, filter.shape, args.attrs, depthwise);
      if (!around && !isDilated) return stock(args);
      return tf.tidy(() => {
        const inputs = {
          ...args.inputs,
          x: around ? tf.pad(x, around) : x,
          filter: isDilated ? dilateFilter(filter, dilations) : filter,
        };
        const attrs = plain(args, isDilated ? [1, 1] : args.attrs.dilations, around && 'valid');
        return composed(stock({ ...args, inputs, attrs }));
      });
    },
  };
}

function inputGradient(name: string, depthwise: boolean): NativeKernel {
  return {
    name,
    correct: (stock) => (args) => {
      if (isLeftToCpu(args, depthwise)) return byCpu(name)(args);
      const shape = args.attrs.inputShape as Shape4D;
      const around = paddingOf(shape, args.inputs.filter!.shape, args.attrs, depthwise);
      if (!around) return stock(args);
      const inputShape = shape.map((size, axis) => size + around[axis]![0] + around[axis]![1]);
      return tf.tidy(() => {
        const padded = composed(stock({ ...args, attrs: { ...plain(args, 1, 'valid'), inputShape } }));
        const begin = around.map(([before]) => before);
        return tf.slice(padded, begin, shape);
      });
    },
  };
}

function filterGradient(name: string, depthwise: boolean): NativeKernel {
  return {
    name,
    correct: (stock) => (args) => {
      if (isLeftToCpu(args, depthwise)) return byCpu(name)(args);
      const x = args.inputs.x!;
      const around = paddingOf(x.shape as Shape4D, args.attrs.filterShape as number[], args.attrs, depthwise);
      if (!around) return stock(args);
      return tf.tidy(() => {
        const inputs = { ...args.inputs, x: tf.pad(x, around) };
        return composed(stock({ ...args, inputs, attrs: plain(args, 1, 'valid') }));
      });
    },
  };
}

function isLeftToCpu({ inputs, attrs }: NativeArgs, depthwise: boolean): boolean {
  const [rowStride, columnStride] = perAxis(attrs.strides, 2);
  if (depthwise && rowStride !== columnStride) return true;
  if (attrs.pad === 'valid' || attrs.pad === 'same') return false;
  const [height, width] = inputs.filter?.shape ?? (attrs.filterShape as number[]);
  // With a number tfjs takes the stride and the height of a window for those of its columns, too.
  const isUneven = typeof attrs.pad === 'number' && (rowStride !== columnStride || height !== width);
  return isUneven || attrs.dataFormat === 'NCHW';
}

/** What to pad before a convolution that then pads nothing; undefined where TensorFlow pads by itself. */
function paddingOf(
  shape: Shape4D,
  filterShape: readonly number[],
  { strides, dilations, pad, dimRoundingMode }: tf.NamedAttrMap,
  depthwise: boolean,
): [number, number][] | undefined {
  if (pad === 'valid' || pad === 'same') return undefined;
  const info = tf.backend_util.computeConv2DInfo(
    shape,
    filterShape as Shape4D,
    strides as number,
    (dilations ?? 1) as number,
    pad as number,
    dimRoundingMode as 'floor',
    depthwise,
  );
  const { top, left } = info.padInfo;
  // Windows that rounding up adds reach beyond the padding; where it rounds down, elements are left over.
  const bottom = (info.outHeight - 1) * info.strideHeight + info.effectiveFilterHeight - info.inHeight - top;
  const right = (info.outWidth - 1) * info.strideWidth + info.effectiveFilterWidth - info.inWidth - left;
  return [
    [0, 0],
    [top, Math.max(0, bottom)],
    [left, Math.max(0, right)],
    [0, 0],
  ];
}

function plain({ attrs }: NativeArgs, dilations: unknown, pad?: string): tf.NamedAttrMap {
  const without = pad === undefined ? attrs : { ...attrs, pad, dimRoundingMode: undefined };
  return { ...without, dilations } as unknown as tf.NamedAttrMap;
}

function perAxis(of: unknown, axes: number): number[] {
  return Array.isArray(of) ? (of as number[]) : new Array<number>(axes).fill((of as number) ?? 1);
}

/** The kernels of tfjs-node give tensors, which `tf.tidy` lets pass. */
function composed(made: tf.TensorInfo | tf.TensorInfo[]): tf.Tensor {
  return made as tf.Tensor;
}
