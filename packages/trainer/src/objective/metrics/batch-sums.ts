import type { Batch, TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { type Count, type CountedMean, disposeCount, samplesIn } from '../count.js';
import { timesWeights } from '../losses/align-weights.js';
import type { BatchLoss, BatchLosses } from '../losses/batch-loss.js';
import { countedWhere } from '../losses/counted-where.js';
import {
  aligned,
  namesOf,
  type OutputAndTarget,
  type OutputMasks,
  outputsAndTargets,
} from '../losses/outputs-and-targets.js';
import { type Logged, NOTHING_LOGGED } from './logged-values.js';
import type { CountedSums, Metric, MetricContext } from './metric.js';
import { meaningOf, metricContext } from './output-meaning.js';
import type { MetricsFor, OutputMetric } from './output-metrics.js';

/** The numbers of one batch: tensors that belong to whoever holds this. */
export interface BatchSums {
  samples: number;
  /** What is minimised, and what it is the mean of. */
  loss: tf.Scalar;
  count: Count;
  /** Of each output, where there are several. */
  outputLosses: Readonly<Record<string, CountedMean>>;
  /** Of each metric. */
  metrics: readonly CountedSums[];
  series: readonly Series[];
  /** Names of the model's outputs. */
  outputs: readonly string[];
  /** What the loss or the module logged. */
  logged: Logged;
}

/** A number that is read off the sums over all batches. */
export interface Series extends Pick<Metric, 'result'> {
  /** Without prefix: `accuracy`, `<output>/accuracy`. */
  readonly name: string;
}

/** The sums of a batch. The tensors of `losses`, and what was logged, pass to the result; all others stay the caller's. */
export function batchSums(
  { loss, metricsFor }: { loss: BatchLoss | undefined; metricsFor: MetricsFor },
  outputs: TensorTree,
  batch: Batch,
  { total, count, outputs: outputLosses }: BatchLosses,
  { masks, logged = NOTHING_LOGGED }: { masks?: OutputMasks; logged?: Logged } = {},
): BatchSums {
  const { ys } = batch;
  const names = namesOf(outputs);
  const series = ys === undefined ? [] : metricsFor(names);
  const samples = samplesIn(batch);
  if (logged !== NOTHING_LOGGED)
    checkLogged(logged, [...series.map(({ name }) => name), ...lossNames(outputLosses)]);
  const metrics =
    ys === undefined || series.length === 0
      ? []
      : measured(series, outputs, { ...batch, ys }, { losses: loss?.forOutputs(names), masks, samples });
  return { samples, loss: total, count, outputLosses, metrics, series, outputs: names, logged };
}

function measured(
  series: readonly OutputMetric[],
  outputs: TensorTree,
  batch: Batch & { ys: TensorTree },
  given: { losses: ReturnType<BatchLoss['forOutputs']> | undefined; masks: OutputMasks; samples: number },
): CountedSums[] {
  const { losses, masks, samples } = given;
  return tf.tidy(() => {
    const pairs = outputsAndTargets(outputs, batch, masks).map((pair) => ({
      ...pair,
      target: aligned(pair.target, pair.output),
    }));
    const contexts = pairs.map((pair, index) =>
      contextsOf(pair, meaningOf(losses?.[index]?.option), losses?.[index]?.ignoreLabel),
    );
    return series.map((metric) => {
      const { output, target } = pairs[metric.output]!;
      return counted(metric.update(target, output, contexts[metric.output]!(metric)), samples);
    }) as never;
  });
}

/** Names of the losses of several outputs. */
function lossNames(outputLosses: BatchSums['outputLosses']): string[] {
  return Object.keys(outputLosses).map((name) => `${name}/loss`);
}

/** Everything that `batchSums` gave. */
export function disposeSums({ loss, count, outputLosses, metrics, logged }: BatchSums): void {
  loss.dispose();
  disposeCount(count);
  for (const output of Object.values(outputLosses)) {
    output.mean.dispose();
    disposeCount(output.count);
  }
  for (const metric of metrics) {
    metric.sums.dispose();
    disposeCount(metric.count);
  }
  for (const value of Object.values(logged)) value.dispose();
}

function checkLogged(logged: Logged, names: readonly string[]): void {
  const taken = names.find((name) => Object.hasOwn(logged, name));
  if (taken === undefined) return;
  throw trainerError(
    'BAD_METRIC',
    `log was given "${taken}", which is the name of a metric. Log it under another name.`,
  );
}

/** What metrics learn about one output: with the weights of the samples for those that are weighted. */
function contextsOf(
  pair: OutputAndTarget,
  meaning: ReturnType<typeof meaningOf>,
  ignoreLabel: number | undefined,
): (metric: OutputMetric) => MetricContext {
  const mask = countedWhere(pair, ignoreLabel);
  const plain = metricContext(meaning, pair.output, mask);
  const { weights } = pair;
  if (!weights) return () => plain;
  let known: MetricContext | undefined;
  return ({ weighted }) => {
    if (!weighted) return plain;
    known ??= { ...plain, weights: mask ? timesWeights(mask, weights) : weights };
    return known;
  };
}

function counted(update: tf.Tensor | CountedSums, samples: number): CountedSums {
  return 'count' in update ? update : { sums: update, count: samples };
}
