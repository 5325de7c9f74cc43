import type { Layer } from '@hookline/layer-taps';
import * as tf from '@tensorflow/tfjs-core';

type Mask = tf.Tensor | undefined;

/**
 * The inputs of a layer that, in Keras 3, leaves masked steps out of what it computes, changed so that stock does so too.
 * Undefined for all other layers.
 */
export function maskedInputs(
  layer: Layer,
  inputs: readonly tf.Tensor[],
  masks: readonly Mask[],
): tf.Tensor[] | undefined {
  if (masks.every((mask) => mask === undefined)) return undefined;
  const name = layer.getClassName();
  if (name === 'GlobalAveragePooling1D') return [forMean(inputs[0]!, masks[0]!)];
  if (name === 'Multiply') return forProduct(inputs, masks);
  return name === 'Maximum' || name === 'Minimum' ? forExtreme(inputs, masks) : undefined;
}

/** A sequence whose mean over all steps is the mean over those that count. Without any, it is 0. */
function forMean(sequence: tf.Tensor, mask: tf.Tensor): tf.Tensor {
  return tf.tidy(() => {
    const counts = asNumbers(mask);
    const share = tf.div(sequence.shape[1]!, tf.maximum(tf.sum(counts, 1, true), 1));
    return tf.mul(sequence, tf.mul(counts, share));
  });
}

/** Masked steps are 1, so that the other factors stay; steps that are masked everywhere are 0. */
function forProduct(inputs: readonly tf.Tensor[], masks: readonly Mask[]): tf.Tensor[] {
  return tf.tidy(() => {
    const counts = masks.map((mask) => mask && asNumbers(mask));
    const isMasked = counts.every((each) => each !== undefined);
    const either = isMasked ? counts.reduce((a, b) => tf.maximum(a!, b!))! : undefined;
    return inputs.map((input, index) => {
      const count = counts[index];
      if (!count) return input;
      const other = either && index === 0 ? either : tf.onesLike(count);
      return tf.add(tf.mul(input, count), tf.mul(other, tf.sub(1, count)));
    });
  });
}

/** A masked step repeats that of an input in which it counts, which changes neither the largest nor the smallest. */
function forExtreme(inputs: readonly tf.Tensor[], masks: readonly Mask[]): tf.Tensor[] {
  return tf.tidy(() => {
    const counts = inputs.map((input, index) =>
      masks[index] ? asNumbers(masks[index]) : tf.ones([...input.shape.slice(0, -1), 1]),
    );
    // Of the first input in which a step counts; 0 where there is none.
    const known = inputs.reduceRight<tf.Tensor | undefined>((others, input, index) => {
      const own = tf.mul(input, counts[index]!);
      return others ? tf.add(own, tf.mul(others, tf.sub(1, counts[index]!))) : own;
    }, undefined)!;
    return inputs.map((input, index) =>
      masks[index] ? tf.add(tf.mul(input, counts[index]!), tf.mul(known, tf.sub(1, counts[index]!))) : input,
    );
  });
}

/** With a last dimension for the features. */
function asNumbers(mask: tf.Tensor): tf.Tensor {
  return tf.expandDims(tf.cast(mask, 'float32'), -1);
}
