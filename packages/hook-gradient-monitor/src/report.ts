import type { Histogram } from '@hookline/hook-api/helpers';
import { type MetricNames, metricNames, PREFIXES } from './metric-names.js';
import type { GradientMonitorRules } from './options.js';
import type { GradientView, Measurement, Readings } from './recorder.js';

/** What loggers get of one step. */
export interface Report {
  readonly values: Record<string, number>;
  readonly histograms: Histogram[];
}

export type Reporter = (readings: Readings, selected: ReadonlySet<string>, step: number) => Report;

/** Names what is logged. Numbers of all parameters together do not depend on which are `selected`. */
export function reporter(rules: GradientMonitorRules): Reporter {
  const namesOf = metricNames(rules.percentiles);
  const moments = (['min', 'max', 'mean', 'std'] as const).filter((stat) => rules.stats.includes(stat));

  const reportParameter = ({ values, histograms }: Report, gradient: Measurement, step: number): void => {
    const { size, statistics, distribution } = gradient;
    const { finite } = statistics;
    const names = namesOf(gradient.view, gradient.path);
    if (rules.norm) values[names.norm] = Math.sqrt(statistics.sumSquares);
    if (finite < size || rules.stats.includes('nonfinite')) values[names.nonfinite] = (size - finite) / size;
    if (rules.stats.includes('zeros')) values[names.zeros] = statistics.zeros / size;
    // What follows is about the finite values.
    if (finite === 0) return;
    for (const name of moments) values[names[name]] = statistics[name];
    if (distribution) reportDistribution(values, distribution.percentiles, names);
    if (distribution?.histogram) histograms.push({ name: names.histogram, step, ...distribution.histogram });
  };

  return ({ gradients, movements }, selected, step) => {
    const report: Report = { values: {}, histograms: [] };
    for (const view of ['raw', 'applied'] as const) {
      reportTogether(report, gradients, rules, view);
      for (const gradient of gradients) {
        if (gradient.view === view && selected.has(gradient.path)) reportParameter(report, gradient, step);
      }
    }
    for (const { path, before, change } of movements) {
      // There is no ratio to weights that are all zero, as biases are at first.
      if (before !== 0)
        report.values[namesOf('raw', path)['update-ratio']] = Math.sqrt(change) / Math.sqrt(before);
    }
    return report;
  };
}

function reportTogether(
  { values }: Report,
  gradients: readonly Measurement[],
  { norm, stats }: GradientMonitorRules,
  view: GradientView,
): void {
  let sumSquares = 0;
  let nonFinite = 0;
  let total = 0;
  for (const { view: of, size, statistics } of gradients) {
    if (of !== view) continue;
    sumSquares += statistics.sumSquares;
    nonFinite += size - statistics.finite;
    total += size;
  }
  if (total === 0) return;
  if (norm) values[`${PREFIXES[view]}/norm`] = Math.sqrt(sumSquares);
  // Whatever is switched off, a NaN shows.
  if (nonFinite > 0 || stats.includes('nonfinite')) values[`${PREFIXES[view]}/nonfinite`] = nonFinite / total;
}

function reportDistribution(
  values: Record<string, number>,
  percentiles: readonly number[],
  names: MetricNames,
): void {
  for (let i = 0; i < percentiles.length; i++) values[names.percentiles[i]!] = percentiles[i]!;
}
