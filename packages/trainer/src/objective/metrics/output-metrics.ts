import { trainerError } from '../../errors.js';
import type { BatchLoss } from '../losses/batch-loss.js';
import type { LossOption } from '../losses/output-losses.js';
import { checkOutputNames, latestFor } from '../losses/per-output.js';
import type { Metric } from './metric.js';
import { type MetricOption, metricsOf } from './metric-option.js';
import { refuseMeaningless, refuseWithLosses } from './refuse-metric.js';

/** For every output, or for some by their names. */
export type MetricsOption = readonly MetricOption[] | Readonly<Record<string, readonly MetricOption[]>>;

/** A metric of one output. With several outputs its name is `<output>/accuracy`. */
export interface OutputMetric extends Metric {
  /** The number of the output. */
  readonly output: number;
}

/** The metrics of a model whose outputs have these names, in their order. */
export type MetricsFor = (outputs: readonly string[]) => readonly OutputMetric[];

/** What is wrong in the options alone, before there is a model. */
export function checkMetricOptions(option: MetricsOption = [], loss?: LossOption): void {
  if (Array.isArray(option)) {
    const metrics = metricsOf(option);
    if (loss !== undefined) refuseWithLosses(metrics, loss);
    return;
  }
  for (const [output, metrics] of Object.entries(metricsByName(option))) {
    if (loss !== undefined) refuseWithLosses(metrics, loss, output);
  }
}

/** The metrics of outputs, each of which has a meaning with its loss. */
export function outputMetrics(option: MetricsOption = [], loss?: Pick<BatchLoss, 'forOutputs'>): MetricsFor {
  const forAll = Array.isArray(option) ? metricsOf(option) : undefined;
  const byName = forAll ? {} : metricsByName(option);
  return latestFor((outputs) => {
    checkOutputNames('metrics', Object.keys(byName), outputs, 'BAD_METRIC');
    const losses = loss?.forOutputs(outputs);
    return outputs.flatMap((output, index) =>
      (forAll ?? byName[output] ?? []).map((metric) => {
        refuseMeaningless(metric, losses?.[index]?.option);
        return {
          name: outputs.length === 1 ? metric.name : `${output}/${metric.name}`,
          output: index,
          weighted: metric.weighted ?? false,
          // Called on the object that the user gave: its methods may use `this`.
          update: (...args: Parameters<Metric['update']>) => metric.update(...args),
          result: (...args: Parameters<Metric['result']>) => metric.result(...args),
        };
      }),
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
