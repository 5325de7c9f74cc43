import type { NamedAttrMap } from '@tensorflow/tfjs-core';

/** Whether TensorFlow's own kernels know the windows of a pool: tfjs-node passes on only these. */
export function poolsByItself({ pad, dimRoundingMode }: NamedAttrMap): boolean {
  return (pad === 'valid' || pad === 'same') && (dimRoundingMode ?? 'floor') === 'floor';
}
