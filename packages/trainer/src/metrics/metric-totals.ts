import { type Batch, didYouMean, type TensorTree } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { trainerError } from '../errors.js';
import { pair } from '../losses/batch-loss.js';
import { leaves, readNumbers } from '../tensors.js';
import { meanMetric } from './mean-metric.js';
import { METRICS, type Metric, type MetricName } from './metrics.js';

export type MetricFunction = (targets: tf.Tensor, outputs: tf.Tensor) => tf.Tensor;

/** By name, as an object of its own, or as a function that gives a number per sample. */
export type MetricOption = MetricName | Metric | MetricFunction;

export function metricsOf(options: readonly MetricOption[] = []): Metric[] {
  const metrics = options.map(metricOf);
  const names = metrics.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return metrics;
  throw trainerError(
    'BAD_METRIC',
    `Two metrics are named "${twice}". Name them apart: meanMetric(name, fn).`,
  );
}

function metricOf(option: MetricOption): Metric {
  if (typeof option === 'object') return option;
  if (typeof option === 'function') return meanMetric(option.name || 'metric', option);
  if (Object.hasOwn(METRICS, option)) return METRICS[option]();
  const names = Object.keys(METRICS);
  throw trainerError(
    'BAD_METRIC',
    `There is no metric "${String(option)}".${didYouMean(String(option), names)} Known metrics: ${names.join(', ')}; a function (targets, outputs) => a number per sample will do too.`,
  );
}

/** What one batch came to: tensors that belong to whoever holds this. */
export interface BatchSums {
  samples: number;
  loss: tf.Scalar;
  /** One for each metric. */
  sums: tf.Tensor[];
}

/** What one batch came to, read from the device. */
export interface BatchNumbers {
  loss: number;
  metrics: Record<string, number>;
  /** Over all batches added so far. */
  averageLoss: number;
}

/** The sums of a batch. `loss` passes to the result; `outputs` stay the caller's. */
export function batchSums(
  metrics: readonly Metric[],
  outputs: TensorTree,
  batch: Batch,
  loss: tf.Scalar,
): BatchSums {
  const samples = leaves(batch.xs)[0]?.shape[0] ?? 1;
  if (metrics.length === 0 || batch.ys === undefined) return { samples, loss, sums: [] };
  const { ys } = batch;
  const sums = tf.tidy(() => {
    const pairs = pair(outputs, ys);
    // With several outputs a metric is their mean; per-output metrics are a matter of naming them apart.
    return metrics.map((metric) =>
      tf.div(
        pairs.map(([output, target]) => metric.update(target, output)).reduce((a, b) => tf.add(a, b)),
        pairs.length,
      ),
    );
  });
  return { samples, loss, sums };
}

/** Adds up batches on the device, so that nothing is read until somebody asks. */
export class MetricTotals {
  readonly #metrics: readonly Metric[];
  readonly #prefix: string;
  /** Losses are means over the batch: one total for each batch size, weighted when it is read. */
  readonly #losses = new Map<number, { total: tf.Tensor; batches: number }>();
  #sums: tf.Tensor[] = [];
  #samples = 0;

  constructor(metrics: readonly Metric[], prefix: string) {
    this.#metrics = metrics;
    this.#prefix = prefix;
  }

  /** The batch's tensors stay the caller's. */
  add({ samples, loss, sums }: BatchSums): void {
    const same = this.#losses.get(samples);
    this.#losses.set(samples, {
      total: same ? replaced(same.total, tf.add(same.total, loss)) : tf.clone(loss),
      batches: (same?.batches ?? 0) + 1,
    });
    if (sums.length === 0) return; // a batch without targets has a loss only
    this.#samples += samples;
    this.#sums = sums.map((sum, index) => {
      const total = this.#sums[index];
      return total ? replaced(total, tf.add(total, sum)) : tf.clone(sum);
    });
  }

  /** The metrics so far: one transfer from the device. */
  async read(): Promise<Record<string, number>> {
    if (this.#losses.size === 0) return {};
    const numbers = await readNumbers([...this.#lossTotals(), ...this.#sums]);
    const sums = numbers.slice(this.#losses.size);
    return {
      [`${this.#prefix}/loss`]: this.#meanLoss(numbers),
      ...named(this.#metrics, this.#prefix, sums, this.#samples),
    };
  }

  /** One batch as numbers, with the mean loss so far: one transfer from the device. */
  async readBatch({ loss, sums, samples }: BatchSums): Promise<BatchNumbers> {
    const [[value], ...rest] = (await readNumbers([loss, ...sums, ...this.#lossTotals()])) as [
      [number],
      ...number[][],
    ];
    const metrics = named(this.#metrics, this.#prefix, rest.slice(0, sums.length), samples);
    return {
      loss: value,
      metrics: { [`${this.#prefix}/loss`]: value, ...metrics },
      averageLoss: this.#meanLoss(rest.slice(sums.length)),
    };
  }

  dispose(): void {
    tf.dispose(this.#lossTotals());
    tf.dispose(this.#sums);
    this.#losses.clear();
    this.#sums = [];
    this.#samples = 0;
  }

  #lossTotals(): tf.Tensor[] {
    return [...this.#losses.values()].map(({ total }) => total);
  }

  #meanLoss(totals: readonly number[][]): number {
    let loss = 0;
    let samples = 0;
    [...this.#losses].forEach(([size, { batches }], index) => {
      loss += totals[index]![0]! * size;
      samples += size * batches;
    });
    return loss / samples;
  }
}

function named(
  metrics: readonly Metric[],
  prefix: string,
  sums: number[][],
  samples: number,
): Record<string, number> {
  return Object.fromEntries(
    sums.map((values, index) => [
      `${prefix}/${metrics[index]!.name}`,
      metrics[index]!.result(values, samples),
    ]),
  );
}

function replaced(old: tf.Tensor, next: tf.Tensor): tf.Tensor {
  old.dispose();
  return next;
}
