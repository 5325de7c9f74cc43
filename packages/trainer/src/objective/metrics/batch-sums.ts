import type { Batch, TensorTree } from '@hookline/hook-api';
import { leaves } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import type { BatchLosses } from '../losses/batch-loss.js';
import { aligned, namesOf, outputsAndTargets } from '../losses/outputs-and-targets.js';
import { type Logged, NOTHING_LOGGED } from './logged-values.js';
import type { MetricsFor, OutputMetric } from './output-metrics.js';

/** The sums of one batch: tensors that belong to whoever holds this. */
export interface BatchSums {
  samples: number;
  loss: tf.Scalar;
  /** What is added up over the batches: the losses of several outputs, then the metrics. */
  sums: tf.Tensor[];
  /** What each of them says. */
  series: readonly Series[];
  /** Names of the model's outputs. */
  outputs: readonly string[];
  /** What the loss or the module logged. */
  logged: Logged;
}

/** A number that is read off the sums over all batches. */
export interface Series {
  /** Without prefix: `accuracy`, `<output>/loss`. */
  readonly name: string;
  result(sums: readonly number[], samples: number): number;
}

/** The sums of a batch. The total of `losses`, and what was logged, pass to the result; all others stay the caller's. */
export function batchSums(
  metricsFor: MetricsFor,
  outputs: TensorTree,
  batch: Batch,
  { total: loss, outputs: outputLosses }: BatchLosses,
  logged: Logged = NOTHING_LOGGED,
): BatchSums {
  const samples = leaves(batch.xs)[0]?.shape[0] ?? 1;
  const { ys } = batch;
  const outputNames = namesOf(outputs);
  const metrics = ys === undefined ? [] : metricsFor(outputNames);
  const names = Object.keys(outputLosses);
  if (ys === undefined || metrics.length + names.length === 0)
    return { samples, loss, sums: [], series: [], outputs: outputNames, logged };
  const series = seriesOf(names, metrics);
  if (logged !== NOTHING_LOGGED) checkLogged(logged, series);
  const sums = tf.tidy(() => {
    const pairs = metrics.length === 0 ? [] : outputsAndTargets(outputs, ys);
    return [
      // Means over the batch: weighted by its samples they add up over batches of any size.
      ...Object.values(outputLosses).map((mean) => tf.mul(mean, samples)),
      ...metrics.map((metric) => {
        const { output, target } = pairs[metric.output]!;
        return metric.update(aligned(target, output), output);
      }),
    ];
  });
  return { samples, loss, sums, series, outputs: outputNames, logged };
}

/** Everything that `batchSums` gave. */
export function disposeSums({ loss, sums, logged }: BatchSums): void {
  tf.dispose([loss, ...sums, ...Object.values(logged)]);
}

/** All series of a model with these outputs; `losses` names the outputs whose losses are reported separately. */
export function seriesOf(losses: readonly string[], metrics: readonly OutputMetric[]): readonly Series[] {
  if (losses.length === 0) return metrics;
  const means = losses.map((name) => ({ name: `${name}/loss`, result: mean }));
  return [...means, ...metrics];
}

function checkLogged(logged: Logged, series: readonly Series[]): void {
  const taken = series.find(({ name }) => Object.hasOwn(logged, name));
  if (!taken) return;
  throw trainerError(
    'BAD_METRIC',
    `log was given "${taken.name}", which is the name of a metric. Log it under another name.`,
  );
}

function mean([sum]: readonly number[], samples: number): number {
  return sum! / samples;
}
