import type { GradientView } from './recorder.js';

const METRICS = [
  'norm',
  'nonfinite',
  'zeros',
  'min',
  'max',
  'mean',
  'std',
  'histogram',
  'update-ratio',
] as const;

/** What the numbers of one parameter are called. */
export type MetricNames = Readonly<Record<(typeof METRICS)[number], string>> & {
  readonly percentiles: readonly string[];
};

export const PREFIXES: Readonly<Record<GradientView, string>> = { raw: 'grad', applied: 'grad-applied' };

/** Makes the names of every parameter once: a step can have a hundred of them. */
export function metricNames(
  percentiles: readonly number[],
): (view: GradientView, path: string) => MetricNames {
  const known = { raw: new Map<string, MetricNames>(), applied: new Map<string, MetricNames>() };
  return (view, path) => {
    let names = known[view].get(path);
    if (!names) {
      const name = (metric: string) => `${PREFIXES[view]}/${metric}/${path}`;
      const plain = METRICS.map((metric) => [metric, name(metric)]);
      const ofPercentiles = percentiles.map((percentile) => name(`p${percentile}`));
      names = { ...Object.fromEntries(plain), percentiles: ofPercentiles } as MetricNames;
      known[view].set(path, names);
    }
    return names;
  };
}
