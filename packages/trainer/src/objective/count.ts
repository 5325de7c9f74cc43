import type { Batch } from '@hookline/hook-api';
import { leaves } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';

/** How many samples or steps a number is of: known on the host, or on the device where a mask decides. */
export type Count = number | tf.Scalar;

/** The mean of a batch, with what it is the mean of. */
export interface CountedMean {
  readonly mean: tf.Scalar;
  readonly count: Count;
}

export function sumOfCounts(counts: readonly Count[]): Count {
  return counts.reduce((sum, each) =>
    typeof sum === 'number' && typeof each === 'number' ? sum + each : tf.add<tf.Scalar>(sum, each),
  );
}

/** The tensors among these counts. */
export function countTensors(counts: readonly Count[]): tf.Scalar[] {
  return counts.filter((count) => typeof count !== 'number');
}

export function disposeCount(count: Count): void {
  if (typeof count !== 'number') count.dispose();
}

export function samplesIn({ xs }: Batch): number {
  return leaves(xs)[0]?.shape[0] ?? 1;
}
