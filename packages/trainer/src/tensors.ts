import type { HostTensor, TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';

/** The tensors of a tree, in a fixed order: a record goes by key. */
export function leaves(tree: TensorTree | undefined): tf.Tensor[] {
  if (tree === undefined) return [];
  if (isTensor(tree)) return [tree];
  return Array.isArray(tree) ? tree : Object.values(tree);
}

/** The same tree with each tensor replaced. */
export function mapTree(tree: TensorTree, map: (tensor: tf.Tensor) => tf.Tensor): TensorTree {
  if (isTensor(tree)) return map(tree);
  if (Array.isArray(tree)) return tree.map(map);
  return Object.fromEntries(Object.entries(tree).map(([name, tensor]) => [name, map(tensor)]));
}

export function isTensor(value: unknown): value is tf.Tensor {
  return typeof value === 'object' && value !== null && 'dataId' in value && 'dtype' in value;
}

/**
 * Reads the numbers of several small tensors in one transfer. The tensors stay the caller's.
 */
export async function readNumbers(tensors: readonly tf.Tensor[]): Promise<number[][]> {
  // Where the data is in our own memory, joining first would cost more than it saves.
  if (inHostMemory()) return tensors.map((tensor) => [...tensor.dataSync()]);
  if (tensors.length === 0) return [];
  const joined = tf.tidy(() =>
    tf.concat(tensors.map((tensor) => tf.reshape(tf.cast(tensor, 'float32'), [-1]))),
  );
  const values = await joined.data();
  joined.dispose();
  let offset = 0;
  return tensors.map(({ size }) => {
    offset += size;
    return [...values.subarray(offset - size, offset)];
  });
}

/** Whether reading a tensor is no transfer. */
export function inHostMemory(): boolean {
  const backend = tf.getBackend();
  return backend === 'wasm' || backend === 'cpu';
}

/**
 * Copies on the host, as of the moment of the call: it does not matter what becomes of the tensors while the device
 * is read. They stay the caller's.
 */
export function copyToHost(
  tensors: Readonly<Record<string, tf.Tensor | HostTensor>>,
): Promise<Record<string, HostTensor>> {
  // A clone shares the data, which lives on when its tensor is disposed or its variable is given another.
  const held = Object.entries(tensors).map(([name, tensor]) => {
    return [name, isTensor(tensor) ? tf.keep(tf.clone(tensor)) : copyOf(tensor)] as const;
  });
  return readAll(held);
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
  const data = (await tensor.data()).slice() as HostTensor['data'];
  return { dtype: tensor.dtype as HostTensor['dtype'], shape: [...tensor.shape], data };
}

function copyOf({ dtype, shape, data }: HostTensor): HostTensor {
  return { dtype, shape: [...shape], data: data.slice() };
}

export function fromHost({ data, shape, dtype }: HostTensor): tf.Tensor {
  // A copy again: backends may keep the array they are given.
  return tf.tensor(data.slice(), [...shape], dtype);
}

/** The same tensors under longer names. */
export function withPrefix<Value>(
  tensors: Readonly<Record<string, Value>>,
  prefix: string,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [prefix + name, tensor]));
}

/** Those whose names begin with the prefix, under the rest of their names. */
export function withoutPrefix<Value>(
  tensors: Readonly<Record<string, Value>>,
  prefix: string,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(tensors)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, tensor]) => [name.slice(prefix.length), tensor]),
  );
}
