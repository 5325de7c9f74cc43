import * as tf from '@tensorflow/tfjs-core';

export interface NativeArgs {
  // Each kernel knows its own inputs and attributes.
  inputs: Record<string, tf.Tensor>;
  attrs: tf.NamedAttrMap;
  backend: tf.KernelBackend;
}

export type NativeFunc = (args: NativeArgs) => tf.TensorInfo | tf.TensorInfo[];

/** A kernel of tfjs-node that refuses what cpu computes, or gives something else; and how it does not. */
export interface NativeKernel {
  name: string;
  correct(stock: NativeFunc): NativeFunc;
}

/** Computes with the kernel of the cpu backend. Both ways are a copy, and from a GPU a transfer: for rare cases. */
export function byCpu(name: string): NativeFunc {
  return ({ inputs, attrs, backend }) => {
    const cpu = tf.findBackend('cpu');
    const there = Object.entries(inputs).filter(([, input]) => input !== undefined && input !== null);
    const copies = there.map(([key, { dataId, shape, dtype }]) => {
      const values = backend.readSync(dataId);
      return [key, { dataId: cpu.write(values, shape, dtype), shape, dtype }] as const;
    });
    const { kernelFunc } = tf.getKernel(name, 'cpu');
    // Some kernels take a list of tensors, which they spread.
    const given = Array.isArray(inputs) ? copies.map(([, copy]) => copy) : Object.fromEntries(copies);
    const made = kernelFunc({ inputs: given as tf.NamedTensorInfoMap, attrs, backend: cpu });
    const results = [made].flat().map(({ dataId, shape, dtype }) => {
      return { dataId: backend.write(cpu.readSync(dataId), shape, dtype), shape, dtype };
    });
    for (const { dataId } of [...copies.map(([, copy]) => copy), ...[made].flat()]) cpu.disposeData(dataId);
    return Array.isArray(made) ? results : results[0]!;
  };
}
