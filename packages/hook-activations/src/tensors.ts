import type { Tensors } from '@hookline/layer-taps';
import type { Tensor } from '@tensorflow/tfjs-core';

export function leavesOf(tensors: Tensors): Tensor[] {
  return isTensor(tensors) ? [tensors] : Object.values(tensors);
}

export function mapTensors(tensors: Tensors, map: (tensor: Tensor) => Tensor): Tensors {
  if (isTensor(tensors)) return map(tensors);
  if (Array.isArray(tensors)) return tensors.map(map);
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, map(tensor)]));
}

/** By shape, never instanceof: two copies of tfjs-core may be installed. */
function isTensor(value: Tensors): value is Tensor {
  return 'dataId' in value && 'dtype' in value;
}

const BYTES = { float32: 4, int32: 4, bool: 1, complex64: 8, string: 8 } as const;

/** What the values take; of strings, what their references do. */
export function bytesOf({ size, dtype }: Pick<Tensor, 'size' | 'dtype'>): number {
  return size * BYTES[dtype];
}

export function formatBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
