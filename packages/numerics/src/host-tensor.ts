import type { HostTensor } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { hostValues } from './host-values.js';
import { isTensor } from './tensor-tree.js';

/**
 * Copies on the host, as of the moment of the call: the tensors may change or be disposed while the device is read. They
 * remain the caller's.
 */
export function copyToHost(
  tensors: Readonly<Record<string, tf.Tensor | HostTensor>>,
): Promise<Record<string, HostTensor>> {
  // A clone shares the data and keeps it alive when its tensor is disposed or its variable gets a new value.
  const held = Object.entries(tensors).map(([name, tensor]) => {
    return [name, isTensor(tensor) ? tf.keep(tf.clone(tensor)) : copyOf(tensor)] as const;
  });
  return readAll(held);
}

/** A new tensor, which belongs to the caller. */
export function fromHost({ data, shape, dtype }: HostTensor): tf.Tensor {
  // A copy, because backends may keep the array they are given.
  return tf.tensor(data.slice(), [...shape], dtype);
}

async function readAll(
  held: readonly (readonly [string, tf.Tensor | HostTensor])[],
): Promise<Record<string, HostTensor>> {
  try {
    const copies: Record<string, HostTensor> = {};
    for (const [name, tensor] of held) copies[name] = isTensor(tensor) ? await read(tensor) : tensor;
    return copies;
  } finally {
    for (const [, tensor] of held) if (isTensor(tensor)) tensor.dispose();
  }
}

async function read(tensor: tf.Tensor): Promise<HostTensor> {
  // Where the values are in our memory they are copied once; `data()` may make a copy and keep it, too.
  const values = hostValues(tensor) ?? (await tensor.data());
  const data = values.slice() as HostTensor['data'];
  return { dtype: tensor.dtype as HostTensor['dtype'], shape: [...tensor.shape], data };
}

function copyOf({ dtype, shape, data }: HostTensor): HostTensor {
  return { dtype, shape: [...shape], data: data.slice() };
}
