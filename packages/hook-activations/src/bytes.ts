import type { Tensor } from '@tensorflow/tfjs-core';

const BYTES = { float32: 4, int32: 4, bool: 1, complex64: 8, string: 8 } as const;

/** The memory of the values; for strings, that of their references. */
export function bytesOf({ size, dtype }: Pick<Tensor, 'size' | 'dtype'>): number {
  return size * BYTES[dtype];
}

export function formatBytes(bytes: number): string {
  return bytes < 2 ** 20 ? `${(bytes / 1024).toFixed(1)} kB` : `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
