import type { HostTensor } from '@hookline/hook-api';
import { readNumbers, withoutPrefix, withPrefix } from '@hookline/numerics';
import type * as tf from '@tensorflow/tfjs-core';
import { countTensors } from '../count.js';
import type { BatchSums, Series } from './batch-sums.js';
import { MetricTotal } from './metric-total.js';
import type { MetricsFor } from './output-metrics.js';
import { meanTensors, RunningMeans, type SavedMeans } from './running-means.js';

/** The numbers of one batch, read from the device. */
export interface BatchNumbers {
  loss: number;
  metrics: Record<string, number>;
  /** Over all batches added so far. */
  averageLoss: number;
}

/** Totals as JSON; their tensors are beside it. Type aliases, which are JSON to the compiler. */
export type TotalsState = {
  /** `loss`, and `<output>/loss` of several outputs. */
  losses: SavedMeans;
  /** What the host knows of the count of each metric. */
  metrics: [name: string, count: number][];
  /** Names of the model's outputs, from which the metrics follow. */
  outputs: string[];
  /** What losses and modules logged. */
  logged: SavedMeans;
};

/** Adds up batches on the device, so that nothing is read until somebody asks. */
export class MetricTotals {
  readonly #prefix: string;
  readonly #losses = new RunningMeans();
  #series: readonly Series[] = [];
  readonly #metrics = new Map<string, MetricTotal>();
  #outputs: readonly string[] = [];
  readonly #logged = new RunningMeans();

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The batch's tensors stay the caller's. */
  add({ samples, loss, count, outputLosses, metrics, series, outputs, logged }: BatchSums): void {
    this.#losses.add('loss', { mean: loss, count });
    for (const name of Object.keys(outputLosses)) this.#losses.add(`${name}/loss`, outputLosses[name]!);
    for (const name of Object.keys(logged)) this.#logged.add(name, { mean: logged[name]!, count: samples });
    if (metrics.length === 0) return; // a batch without targets has a loss only
    this.#series = series;
    this.#outputs = outputs;
    metrics.forEach((sums, index) => {
      entry(this.#metrics, series[index]!.name).add(sums);
    });
  }

  /** The metrics so far: one transfer from the device. */
  async read(): Promise<Record<string, number>> {
    const metrics = this.#series.map(({ name }) => this.#metrics.get(name)!);
    const parts = [this.#losses, ...metrics, this.#logged].map(({ tensors }) => tensors);
    const numbers = portions(
      await readNumbers(parts.flat()),
      parts.map(({ length }) => length),
    );
    return this.#named([
      ...this.#losses.of(numbers[0]!),
      ...this.#series.map(
        ({ name, result }, index) => [name, result(...metrics[index]!.of(numbers[index + 1]!))] as const,
      ),
      ...this.#logged.of(numbers.at(-1)!),
    ]);
  }

  /** One batch as numbers, with the mean loss so far: one transfer from the device. */
  async readBatch({ loss, outputLosses, metrics, series, logged }: BatchSums): Promise<BatchNumbers> {
    const outputs = Object.entries(outputLosses).map(([name, { mean }]) => [`${name}/loss`, mean] as const);
    const named = [['loss', loss] as const, ...outputs, ...Object.entries(logged)];
    const counts = metrics.map(({ count }) => count);
    const parts = [
      named.map(([, mean]) => mean),
      metrics.map(({ sums }) => sums),
      countTensors(counts),
      this.#losses.tensors,
    ];
    const [means, sums, onDevice, totals] = portions(
      await readNumbers(parts.flat()),
      parts.map(({ length }) => length),
    ) as [number[][], number[][], number[][], number[][]];
    const masked = onDevice.values();
    const known = counts.map((count) => (typeof count === 'number' ? count : masked.next().value![0]!));
    return {
      loss: means[0]![0]!,
      metrics: this.#named([
        ...named.map(([name], index) => [name, means[index]![0]!] as const),
        ...series.map(({ name, result }, index) => [name, result(sums[index]!, known[index]!)] as const),
      ]),
      // Of the total: it is the first.
      averageLoss: this.#losses.of(totals)[0]?.[1] ?? Number.NaN,
    };
  }

  /** The tensors stay its own. */
  save(): { tensors: Record<string, tf.Tensor>; state: TotalsState } {
    const [losses, logged] = [this.#losses.save(), this.#logged.save()];
    const metrics = [...this.#metrics].map(([name, total]) => [name, total.save()] as const);
    return {
      tensors: Object.assign(
        withPrefix(losses.tensors, 'loss/'),
        withPrefix(logged.tensors, 'logged/'),
        ...metrics.map(([name, { tensors }]) => withPrefix(tensors, `metric/${name}/`)),
      ),
      state: {
        losses: losses.state,
        metrics: metrics.map(([name, { count }]) => [name, count]),
        outputs: [...this.#outputs],
        logged: logged.state,
      },
    };
  }

  /** Continues from what was saved; metrics that have changed since start over. */
  load(
    { losses, metrics, outputs, logged }: TotalsState,
    tensors: Readonly<Record<string, HostTensor>>,
    metricsFor: MetricsFor,
  ): void {
    this.dispose();
    this.#losses.load(losses, withoutPrefix(tensors, 'loss/'));
    this.#logged.load(logged, withoutPrefix(tensors, 'logged/'));
    if (metrics.length === 0) return;
    const today = metricsFor(outputs);
    if (today.map(({ name }) => name).join('\n') !== metrics.map(([name]) => name).join('\n')) return;
    this.#series = today;
    this.#outputs = outputs;
    for (const [name, count] of metrics)
      entry(this.#metrics, name).load(count, withoutPrefix(tensors, `metric/${name}/`));
  }

  dispose(): void {
    this.#losses.dispose();
    this.#logged.dispose();
    for (const total of this.#metrics.values()) total.dispose();
    this.#metrics.clear();
    this.#series = [];
  }

  #named(numbers: readonly (readonly [name: string, value: number])[]): Record<string, number> {
    return Object.fromEntries(numbers.map(([name, value]) => [`${this.#prefix}/${name}`, value]));
  }
}

/** Names of the tensors without which totals cannot be loaded. */
export function neededTensors({ losses, metrics, logged }: TotalsState): string[] {
  return [
    ...meanTensors(losses).map((name) => `loss/${name}`),
    ...meanTensors(logged).map((name) => `logged/${name}`),
    ...metrics.map(([name]) => `metric/${name}/sums`),
  ];
}

function entry(map: Map<string, MetricTotal>, name: string): MetricTotal {
  const known = map.get(name) ?? new MetricTotal();
  map.set(name, known);
  return known;
}

/** The list in pieces of these lengths. */
function portions<Value>(list: readonly Value[], lengths: readonly number[]): Value[][] {
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return list.slice(start - length, start);
  });
}
