import type { Histogram } from '@hookline/hook-api/helpers';
import type { GradientView, Measurement, Readings } from '../measure/recorder.js';
import type { GradientMonitorRules } from '../options.js';
import type { Episodes } from '../trouble/episodes.js';
import { metricNames, type NamesOf, type Prefixes } from './metric-names.js';

/** What loggers get from one step. */
export interface Report {
  readonly values: Record<string, number>;
  readonly histograms: Histogram[];
}

export type Reporter = (
  readings: Readings,
  selected: ReadonlySet<string>,
  episodes: Episodes,
  step: number,
) => Report;

/** Names what is logged. Numbers over all parameters do not depend on which of them are `selected`. */
export function reporter(rules: GradientMonitorRules, prefixes: Prefixes): Reporter {
  const namesOf = metricNames(prefixes, rules.percentiles);
  const reportParameter = parameterReporter(rules, namesOf);
  return ({ gradients, movements }, selected, episodes, step) => {
    const report: Report = { values: {}, histograms: [] };
    for (const view of ['raw', 'applied'] as const) {
      reportTogether(report, gradients, rules, view, prefixes);
      for (const gradient of gradients) {
        if (gradient.view === view && selected.has(gradient.path)) reportParameter(report, gradient, step);
      }
    }
    for (const { path, before, change } of movements) {
      // There is no ratio to weights that are all zero, as biases are at first.
      if (before === 0) continue;
      report.values[namesOf('raw', path)['update-ratio']] = Math.sqrt(change) / Math.sqrt(before);
    }
    for (const trouble of ['vanishing', 'exploding'] as const) {
      if (rules[trouble] !== false) report.values[`${prefixes.raw}/${trouble}`] = episodes[trouble].size;
    }
    return report;
  };
}

function parameterReporter(
  { norm, stats }: GradientMonitorRules,
  namesOf: NamesOf,
): (report: Report, gradient: Measurement, step: number) => void {
  const moments = (['min', 'max', 'mean', 'std'] as const).filter((stat) => stats.includes(stat));
  return ({ values, histograms }, { view, path, size, statistics, distribution }, step) => {
    const { finite } = statistics;
    const names = namesOf(view, path);
    if (norm) values[names.norm] = Math.sqrt(statistics.sumSquares);
    if (finite < size || stats.includes('nonfinite')) values[names.nonfinite] = size - finite;
    if (stats.includes('zeros')) values[names.zeros] = statistics.zeros / size;
    // What follows is about the finite values.
    if (finite === 0) return;
    for (const name of moments) values[names[name]] = statistics[name];
    if (!distribution) return;
    const { percentiles, histogram } = distribution;
    for (let i = 0; i < percentiles.length; i++) values[names.percentiles[i]!] = percentiles[i]!;
    if (histogram) histograms.push({ name: names.histogram, step, ...histogram });
  };
}

function reportTogether(
  { values }: Report,
  gradients: readonly Measurement[],
  { norm, stats }: GradientMonitorRules,
  view: GradientView,
  prefixes: Prefixes,
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
  if (norm) values[`${prefixes[view]}/norm`] = Math.sqrt(sumSquares);
  // Whatever is switched off, a NaN shows.
  if (nonFinite > 0 || stats.includes('nonfinite')) values[`${prefixes[view]}/nonfinite`] = nonFinite;
}
