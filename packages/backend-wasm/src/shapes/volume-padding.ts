import type * as tf from '@tensorflow/tfjs-core';

/**
 * With padding 'same' and strides larger than the window, tfjs pads volumes by a negative number, and thereby skips their
 * first elements. TensorFlow pads nothing there, as tfjs does in images.
 */
export function withoutNegativePads(info: tf.backend_util.Conv3DInfo): tf.backend_util.Conv3DInfo {
  const { padInfo } = info;
  const { front, top, left } = padInfo;
  if (front >= 0 && top >= 0 && left >= 0) return info;
  const positive = { front: Math.max(0, front), top: Math.max(0, top), left: Math.max(0, left) };
  return { ...info, padInfo: { ...padInfo, ...positive } };
}
