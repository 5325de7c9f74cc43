import type { Histogram } from '@hookline/hook-api/helpers';
import { histogramOf } from '@hookline/layer-taps';
import type { GradientMonitorRules } from './options.js';
import { percentilesOf } from './percentiles.js';
import type { GradientView, Measurement, Movement, Readings } from './recorder.js';

/** What loggers get of one step. */
export interface Report {
  readonly values: Record<string, number>;
  readonly histograms: Histogram[];
}

const PREFIXES: Record<GradientView, string> = { raw: 'grad', applied: 'grad-applied' };

/** Names and computes what is logged. Numbers of all parameters together do not depend on which are `selected`. */
export function reportOf(
  { gradients, movements }: Readings,
  rules: GradientMonitorRules,
  selected: ReadonlySet<string>,
  step: number,
): Report {
  const report: Report = { values: {}, histograms: [] };
  for (const view of Object.keys(PREFIXES) as GradientView[]) {
    const all = gradients.filter((gradient) => gradient.view === view);
    if (all.length > 0) reportTogether(report, all, rules, PREFIXES[view]);
    for (const each of all) {
      if (selected.has(each.path)) reportParameter(report, each, rules, step, PREFIXES[view]);
    }
  }
  for (const movement of movements) reportMovement(report, movement);
  return report;
}

function reportTogether(
  { values }: Report,
  gradients: readonly Measurement[],
  { norm, stats }: GradientMonitorRules,
  prefix: string,
): void {
  const total = (of: (gradient: Measurement) => number) => gradients.reduce((sum, each) => sum + of(each), 0);
  if (norm) values[`${prefix}/norm`] = Math.sqrt(total(({ sumSquares }) => sumSquares));
  const nonFinite = total(({ size, finite }) => size - finite);
  // Whatever is switched off, a NaN shows.
  if (nonFinite > 0 || stats.includes('nonfinite'))
    values[`${prefix}/nonfinite`] = nonFinite / total(({ size }) => size);
}

function reportParameter(
  { values, histograms }: Report,
  gradient: Measurement,
  { norm, stats, percentiles, histogram }: GradientMonitorRules,
  step: number,
  prefix: string,
): void {
  const { path, size, finite, sumSquares, zeros, moments } = gradient;
  if (norm) values[`${prefix}/norm/${path}`] = Math.sqrt(sumSquares);
  if (finite < size || stats.includes('nonfinite'))
    values[`${prefix}/nonfinite/${path}`] = (size - finite) / size;
  if (zeros !== undefined) values[`${prefix}/zeros/${path}`] = zeros / size;
  // What follows is about the finite values.
  if (finite === 0) return;
  for (const name of ['min', 'max', 'mean', 'std'] as const) {
    if (moments && stats.includes(name)) values[`${prefix}/${name}/${path}`] = moments[name];
  }
  const sample = finiteSample(gradient);
  if (!sample || sample.length === 0) return;
  if (histogram) histograms.push({ name: `${prefix}/histogram/${path}`, step, ...histogramOf(sample) });
  for (const [index, value] of percentilesOf(sample, percentiles).entries())
    values[`${prefix}/p${percentiles[index]}/${path}`] = value;
}

/** There is no ratio to weights that are all zero, as biases are at first. */
function reportMovement({ values }: Report, { path, before, change }: Movement): void {
  if (before !== 0) values[`grad/update-ratio/${path}`] = Math.sqrt(change) / Math.sqrt(before);
}

function finiteSample({ sample, finite, size }: Measurement): Float32Array | undefined {
  return finite === size ? sample : sample?.filter(Number.isFinite);
}
