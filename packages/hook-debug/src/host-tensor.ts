import type { HostTensor } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** A copy on the host, by value. */
export async function toHost(tensor: tf.Tensor): Promise<HostTensor> {
  const data = (await tensor.data()).slice() as HostTensor['data'];
  return { dtype: tensor.dtype as HostTensor['dtype'], shape: [...tensor.shape], data };
}

/** Belongs to the caller. */
export function fromHost({ data, shape, dtype }: HostTensor): tf.Tensor {
  return tf.tensor(data, [...shape], dtype);
}

/** Text and complex numbers have no form on the host that a file could hold. */
export function isHostKind({ dtype }: tf.Tensor): boolean {
  return dtype === 'float32' || dtype === 'int32' || dtype === 'bool';
}
