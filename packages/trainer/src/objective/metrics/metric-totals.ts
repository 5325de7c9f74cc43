import type { HostTensor } from '@hookline/hook-api';
import { fromHost, readNumbers } from '@hookline/numerics';
import * as tf from '@tensorflow/tfjs-core';
import { type BatchSums, type Series, seriesOf } from './batch-sums.js';
import { LoggedMeans, type LoggedState } from './logged-means.js';
import type { MetricsFor } from './output-metrics.js';

/** The numbers of one batch, read from the device. */
export interface BatchNumbers {
  loss: number;
  metrics: Record<string, number>;
  /** Over all batches added so far. */
  averageLoss: number;
}

/** Totals as JSON; their tensors are beside it. Type aliases, which are JSON to the compiler. */
export type TotalsState = {
  /** Losses by batch size, in the order in which they are added: [size, batches]. */
  losses: [number, number][];
  samples: number;
  /** Names of the series that are added up. */
  series: string[];
  /** Names of the model's outputs, from which the series follow. */
  outputs: string[];
  /** What losses and modules logged. */
  logged?: LoggedState;
};

/** Adds up batches on the device, so that nothing is read until somebody asks. */
export class MetricTotals {
  readonly #prefix: string;
  #series: readonly Series[];
  /** Losses are means over the batch: one total for each batch size, weighted when it is read. */
  readonly #losses = new Map<number, { total: tf.Tensor; batches: number }>();
  readonly #logged = new LoggedMeans();
  #sums: tf.Tensor[] = [];
  #samples = 0;
  #outputs: readonly string[] = [];

  /** `series` are those that are known before the first batch. */
  constructor(series: readonly Series[], prefix: string) {
    this.#series = series;
    this.#prefix = prefix;
  }

  /** The batch's tensors stay the caller's. */
  add({ samples, loss, sums, series, outputs, logged }: BatchSums): void {
    const same = this.#losses.get(samples);
    this.#losses.set(samples, {
      total: same ? replaced(same.total, tf.add(same.total, loss)) : tf.clone(loss),
      batches: (same?.batches ?? 0) + 1,
    });
    this.#logged.add(logged, samples);
    if (sums.length === 0) return; // a batch without targets has a loss only
    this.#series = series;
    this.#outputs = outputs;
    this.#samples += samples;
    this.#sums = sums.map((sum, index) => {
      const total = this.#sums[index];
      return total ? replaced(total, tf.add(total, sum)) : tf.clone(sum);
    });
  }

  /** The metrics so far: one transfer from the device. */
  async read(): Promise<Record<string, number>> {
    if (this.#losses.size === 0) return {};
    const numbers = await readNumbers([...this.#lossTotals(), ...this.#sums, ...this.#logged.tensors]);
    const sums = numbers.slice(this.#losses.size, this.#losses.size + this.#sums.length);
    const logged = numbers.slice(this.#losses.size + this.#sums.length);
    return {
      [`${this.#prefix}/loss`]: this.#meanLoss(numbers),
      ...named(this.#series, this.#prefix, sums, this.#samples),
      ...this.#logged.means(logged, this.#prefix),
    };
  }

  /** One batch as numbers, with the mean loss so far: one transfer from the device. */
  async readBatch({ loss, sums, series, samples, logged }: BatchSums): Promise<BatchNumbers> {
    const names = Object.keys(logged);
    const wanted = [loss, ...sums, ...Object.values(logged), ...this.#lossTotals()];
    const [[value], ...rest] = (await readNumbers(wanted)) as [[number], ...number[][]];
    const metrics = named(series, this.#prefix, rest.slice(0, sums.length), samples);
    names.forEach((name, index) => {
      metrics[`${this.#prefix}/${name}`] = rest[sums.length + index]![0]!;
    });
    return {
      loss: value,
      metrics: { [`${this.#prefix}/loss`]: value, ...metrics },
      averageLoss: this.#meanLoss(rest.slice(sums.length + names.length)),
    };
  }

  /** The tensors stay its own. */
  save(): { tensors: Record<string, tf.Tensor>; state: TotalsState } {
    const series = this.#series.slice(0, this.#sums.length).map(({ name }) => name);
    const losses = [...this.#losses];
    const logged = this.#logged.save();
    return {
      tensors: Object.fromEntries([
        ...losses.map(([size, { total }]) => [`loss/${size}`, total] as const),
        ...this.#sums.map((sum, index) => [`metric/${series[index]}`, sum] as const),
        ...Object.entries(logged.tensors),
      ]),
      state: {
        losses: losses.map(([size, { batches }]) => [size, batches]),
        samples: this.#samples,
        series,
        outputs: [...this.#outputs],
        logged: logged.state,
      },
    };
  }

  /** Continues from what was saved; metrics that have changed since start over. */
  load(
    { losses, samples, series, outputs, logged = [] }: TotalsState,
    tensors: Readonly<Record<string, HostTensor>>,
    metricsFor: MetricsFor,
  ): void {
    this.dispose();
    for (const [size, batches] of losses)
      this.#losses.set(size, { total: fromHost(tensors[`loss/${size}`]!), batches });
    this.#logged.load(logged, tensors);
    if (series.length === 0) return;
    const today = seriesOf(outputsWithLoss(series, outputs), metricsFor(outputs));
    if (today.map(({ name }) => name).join('\n') !== series.join('\n')) return;
    this.#series = today;
    this.#outputs = outputs;
    this.#samples = samples;
    this.#sums = series.map((name) => fromHost(tensors[`metric/${name}`]!));
  }

  dispose(): void {
    tf.dispose(this.#lossTotals());
    tf.dispose(this.#sums);
    this.#logged.dispose();
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
  series: readonly Series[],
  prefix: string,
  sums: readonly number[][],
  samples: number,
): Record<string, number> {
  return Object.fromEntries(
    series
      .slice(0, sums.length)
      .map(({ name, result }, index) => [`${prefix}/${name}`, result(sums[index]!, samples)]),
  );
}

function outputsWithLoss(series: readonly string[], outputs: readonly string[]): string[] {
  return outputs.filter((name) => series.includes(`${name}/loss`));
}

function replaced(old: tf.Tensor, next: tf.Tensor): tf.Tensor {
  old.dispose();
  return next;
}
