import type * as tf from '@tensorflow/tfjs-core';

/**
 * A metric that is right over batches of unequal size: sums that are added up on the device, and how to read the
 * metric off them.
 */
export interface Metric {
  readonly name: string;
  /** Whether the weights of the samples count, too; without it, only masks do. `weighted(metric)` sets it. */
  readonly weighted?: boolean;
  /** Sums over what counts in a batch; any shape, the same for every batch. */
  update(targets: tf.Tensor, outputs: tf.Tensor, context: MetricContext): tf.Tensor | CountedSums;
  /**
   * Why it cannot measure such outputs, and what to do, as the end of a sentence; undefined where it can. Asked before
   * training, where the loss has a name.
   */
  refuses?(meaning: OutputMeaning): string | undefined;
  /** `count` is how many samples were added up, or the sum of the counts that `update` gave. */
  result(sums: readonly number[], count: number): number;
}

/** One number, or several, for each sample; their mean is taken. */
export type MetricFunction = (targets: tf.Tensor, outputs: tf.Tensor, context: MetricContext) => tf.Tensor;

/** Sums that count something else than samples: the steps of a sequence, say, or weights. */
export interface CountedSums {
  sums: tf.Tensor;
  count: number | tf.Scalar;
}

/** What a metric can know about an output beside its numbers. */
export interface MetricContext extends OutputMeaning {
  /**
   * How much each sample counts, or each step of a sequence: shape [batch] or [batch, time]. 0 where the output is masked
   * or the label ignored. Undefined where all count alike.
   */
  readonly weights: tf.Tensor | undefined;
  /**
   * The outputs as probabilities, also where they are logits. Throws where they are scores; with a loss of your own, and with
   * losses between numbers, they are taken as they are.
   */
  probabilities(): tf.Tensor;
}

/** What the numbers of an output are; the loss knows. */
export interface OutputMeaning {
  /**
   * `scores` have an order, but no scale: those of hinge losses. `numbers` are those of losses between numbers. Undefined with
   * a loss of your own.
   */
  readonly outputs?: 'probabilities' | 'logits' | 'scores' | 'numbers';
  /** The outputs are logits: this makes them probabilities. */
  readonly logits?: 'sigmoid' | 'softmax';
  /** Each number is a yes or no by itself, however many there are. Otherwise several numbers are one choice. */
  readonly multiLabel?: boolean;
  /** Targets are -1 or 1, and outputs are decided by their sign. */
  readonly signed?: boolean;
  /** Targets are class numbers, not rows. */
  readonly sparse?: boolean;
}
