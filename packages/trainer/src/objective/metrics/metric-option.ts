import { trainerError } from '../../errors.js';
import { meantName } from '../other-names.js';
import { meanMetric } from './mean-metric.js';
import type { Metric, MetricFunction } from './metric.js';
import { METRICS, type MetricName } from './metrics.js';

/** By name, as an object, or as a function that gives a number per sample. */
export type MetricOption = MetricName | Metric | MetricFunction;

export function metricsOf(options: readonly MetricOption[]): Metric[] {
  const metrics = options.map(metricOf);
  const names = metrics.map(({ name }) => name);
  const taken = names.find((name, index) => name === 'loss' || names.indexOf(name) !== index);
  if (taken === undefined) return metrics;
  throw trainerError(
    'BAD_METRIC',
    taken === 'loss'
      ? 'A metric is named "loss", which is the name of the loss. Give it another: meanMetric(name, fn).'
      : `Two metrics are named "${taken}". Give them different names: meanMetric(name, fn).`,
  );
}

export function metricOf(option: MetricOption): Metric {
  if (typeof option === 'function') return meanMetric(option.name || 'metric', option);
  if (isMetric(option)) return option;
  if (typeof option === 'string' && Object.hasOwn(METRICS, option)) return METRICS[option]();
  const names = Object.keys(METRICS);
  throw trainerError(
    'BAD_METRIC',
    `There is no metric "${String(option)}".${meantName(option, names)} Known metrics: ${names.join(', ')}; a function (targets, outputs) => a number per sample will do too, or { name, update, result }.`,
  );
}

function isMetric(option: unknown): option is Metric {
  const { name, update, result } = Object(option) as Partial<Metric>;
  return typeof name === 'string' && typeof update === 'function' && typeof result === 'function';
}
