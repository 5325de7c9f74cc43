import * as tf from '@tensorflow/tfjs-core';

type Values = tf.backend_util.TypedArray;

/** What the cpu backend of tfjs has. */
export interface CpuBackend {
  data: { get(dataId: object): { values?: unknown } };
  disposeIntermediateTensorInfo(tensor: tf.TensorInfo): void;
  makeTensorInfo(shape: number[], dtype: tf.DataType, values: Values): tf.TensorInfo;
}

/** A kernel of the cpu backend that is wrong, and how to make it right, with the help of the stock one. */
export interface CpuKernel {
  name: string;
  correct(stock: (args: CpuArgs) => tf.TensorInfo): (args: CpuArgs) => tf.TensorInfo;
}

export interface CpuArgs {
  // Each kernel knows its own inputs and attributes.
  inputs: Record<string, tf.TensorInfo>;
  attrs: tf.NamedAttrMap;
  backend: CpuBackend;
}

export function valuesOf(backend: CpuBackend, { dataId }: tf.TensorInfo): Values {
  return backend.data.get(dataId).values as Values;
}

/** Runs another kernel of the cpu backend; its result belongs to the caller. */
export function runOnCpu(
  name: string,
  backend: CpuBackend,
  inputs: CpuArgs['inputs'],
  attrs: tf.NamedAttrMap,
): tf.TensorInfo {
  return tf.getKernel(name, 'cpu').kernelFunc({ inputs, attrs, backend }) as tf.TensorInfo;
}
