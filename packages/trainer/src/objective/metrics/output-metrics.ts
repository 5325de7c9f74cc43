import { didYouMean } from '@hookline/hook-api';
import type { Tensor } from '@tensorflow/tfjs-core';
import { trainerError } from '../../errors.js';
import { checkOutputNames, latestFor } from '../losses/per-output.js';
import { meanMetric } from './mean-metric.js';
import type { Metric, MetricFunction } from './metric.js';
import { METRICS, type MetricName } from './metrics.js';

/** By name, as an object, or as a function that gives a number per sample. */
export type MetricOption = MetricName | Metric | MetricFunction;

/** For every output, or for some by their names. */
export type MetricsOption = readonly MetricOption[] | Readonly<Record<string, readonly MetricOption[]>>;

/** A metric of one output. With several outputs its name is `<output>/accuracy`. */
export interface OutputMetric extends Metric {
  /** The number of the output. */
  readonly output: number;
}

/** The metrics of a model whose outputs have these names, in their order. */
export type MetricsFor = (outputs: readonly string[]) => readonly OutputMetric[];

/** What is wrong in the option alone shows at once, names of outputs when they are known. */
export function outputMetrics(option: MetricsOption = []): MetricsFor {
  const forAll = Array.isArray(option) ? metricsOf(option) : undefined;
  const byName = forAll ? {} : metricsByName(option);
  return latestFor((outputs) => {
    checkOutputNames('metrics', Object.keys(byName), outputs, 'BAD_METRIC');
    return outputs.flatMap((output, index) =>
      (forAll ?? byName[output] ?? []).map((metric) => ({
        name: outputs.length === 1 ? metric.name : `${output}/${metric.name}`,
        output: index,
        // Called on the object that the user gave: its methods may use `this`.
        update: (targets: Tensor, predicted: Tensor) => metric.update(targets, predicted),
        result: (sums: readonly number[], samples: number) => metric.result(sums, samples),
      })),
    );
  });
}

function metricsByName(option: MetricsOption): Record<string, Metric[]> {
  if (typeof option !== 'object' || option === null) throw noList(option);
  return Object.fromEntries(
    Object.entries(option).map(([output, metrics]) => {
      if (!Array.isArray(metrics)) throw noList(metrics, output);
      return [output, metricsOf(metrics)];
    }),
  );
}

function noList(given: unknown, output?: string): Error {
  const where = output === undefined ? 'metrics' : `metrics of output "${output}"`;
  const shown = typeof given === 'string' ? `"${given}"` : typeof given;
  return trainerError(
    'BAD_METRIC',
    `${where}: ${shown}, expected a list such as ['accuracy'], or lists by the names of outputs.`,
  );
}

export function metricsOf(options: readonly MetricOption[]): Metric[] {
  const metrics = options.map(metricOf);
  const names = metrics.map(({ name }) => name);
  const taken = names.find((name, index) => name === 'loss' || names.indexOf(name) !== index);
  if (taken === undefined) return metrics;
  throw trainerError(
    'BAD_METRIC',
    taken === 'loss'
      ? 'A metric is named "loss", which is the name of the loss. Give it another: meanMetric(name, fn).'
      : `Two metrics are named "${taken}". Name them apart: meanMetric(name, fn).`,
  );
}

function metricOf(option: MetricOption): Metric {
  if (typeof option === 'function') return meanMetric(option.name || 'metric', option);
  if (isMetric(option)) return option;
  if (typeof option === 'string' && Object.hasOwn(METRICS, option)) return METRICS[option]();
  const names = Object.keys(METRICS);
  throw trainerError(
    'BAD_METRIC',
    `There is no metric "${String(option)}".${didYouMean(String(option), names)} Known metrics: ${names.join(', ')}; a function (targets, outputs) => a number per sample will do too, or { name, update, result }.`,
  );
}

function isMetric(option: unknown): option is Metric {
  const { name, update, result } = Object(option) as Partial<Metric>;
  return typeof name === 'string' && typeof update === 'function' && typeof result === 'function';
}
