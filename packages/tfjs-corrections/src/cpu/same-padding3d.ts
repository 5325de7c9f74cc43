import * as tf from '@tensorflow/tfjs-core';
import { type CpuArgs, type CpuBackend, type CpuKernel, runOnCpu } from './cpu-kernel.js';

type PerAxis = number | readonly number[];

/**
 * With padding 'same' and strides larger than the window, tfjs pads volumes by a negative number, and thereby skips their
 * first elements; TensorFlow pads nothing. Without the elements behind the last window, which count for nothing, the
 * padding of tfjs is 0 too.
 */
export const SAME_PADDING3D_KERNELS: readonly CpuKernel[] = [
  forward(tf.Conv3D, 'x', ({ inputs }) => inputs.filter!.shape),
  forward(tf.Conv3DBackpropFilterV2, 'x', ({ attrs }) => attrs.filterShape as number[]),
  forward(tf.MaxPool3D, 'x', ({ attrs }) => attrs.filterSize as PerAxis),
  forward(tf.AvgPool3D, 'x', ({ attrs }) => attrs.filterSize as PerAxis),
  {
    name: tf.Conv3DBackpropInputV2,
    correct: (stock) => (args) => {
      const inputShape = args.attrs.inputShape as number[];
      const used = usedShape(inputShape, args.inputs.filter!.shape, args.attrs);
      if (!used) return stock(args);
      return padded(args.backend, stock({ ...args, attrs: { ...args.attrs, inputShape: used } }), inputShape);
    },
  },
  {
    name: tf.AvgPool3DGrad,
    correct: (stock) => {
      const cropping = forward(tf.AvgPool3DGrad, 'input', ({ attrs }) => attrs.filterSize as PerAxis);
      return (args) => padded(args.backend, cropping.correct(stock)(args), args.inputs.input!.shape);
    },
  },
];

function forward(name: string, input: string, windowOf: (args: CpuArgs) => PerAxis): CpuKernel {
  return {
    name,
    correct: (stock) => (args) => {
      const { inputs, attrs, backend } = args;
      const x = inputs[input]!;
      const used = usedShape(x.shape, windowOf(args), attrs);
      if (!used) return stock(args);
      const cropped = runOnCpu(tf.Slice, backend, { x }, { begin: used.map(() => 0), size: used });
      const result = stock({ ...args, inputs: { ...inputs, [input]: cropped } });
      backend.disposeIntermediateTensorInfo(cropped);
      return result;
    },
  };
}

/** The shape without what lies behind the last window of an axis; undefined where that is all of it. */
function usedShape(shape: readonly number[], window: PerAxis, attrs: tf.NamedAttrMap): number[] | undefined {
  if (attrs.pad !== 'same') return undefined;
  const along = (of: unknown, axis: number) =>
    Array.isArray(of) ? (of[axis] as number) : ((of as number) ?? 1);
  const used = shape.map((size, i) => {
    const axis = i - 1;
    if (axis < 0 || axis > 2) return size;
    const stride = along(attrs.strides, axis);
    const extent = (along(window, axis) - 1) * along(attrs.dilations, axis) + 1;
    return extent < stride ? Math.min(size, (Math.ceil(size / stride) - 1) * stride + extent) : size;
  });
  return used.every((size, axis) => size === shape[axis]) ? undefined : used;
}

/** With zeros where it was cropped; disposes of the one that it gets. */
function padded(backend: CpuBackend, x: tf.TensorInfo, shape: readonly number[]): tf.TensorInfo {
  if (tf.util.arraysEqual(x.shape, shape as number[])) return x;
  const paddings = x.shape.map((size, axis): [number, number] => [0, shape[axis]! - size]);
  const result = runOnCpu(tf.PadV2, backend, { x }, { paddings, constantValue: 0 });
  backend.disposeIntermediateTensorInfo(x);
  return result;
}
