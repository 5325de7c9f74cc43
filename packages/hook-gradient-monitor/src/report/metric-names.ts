import type { GradientView } from '../measure/recorder.js';

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

export type NamesOf = (view: GradientView, path: string) => MetricNames;

/** How the names of each view begin. */
export type Prefixes = Readonly<Record<GradientView, string>>;

/** A second instance, which has another name, logs under that name: two series of one name would overwrite each other. */
export function prefixesOf(hook: string): Prefixes {
  const prefix = hook === 'gradient-monitor' ? 'grad' : hook;
  return { raw: prefix, applied: `${prefix}-applied` };
}

/** Makes the names of each parameter once: a step can log hundreds of them. */
export function metricNames(prefixes: Prefixes, percentiles: readonly number[]): NamesOf {
  const known = { raw: new Map<string, MetricNames>(), applied: new Map<string, MetricNames>() };
  return (view, path) => {
    let names = known[view].get(path);
    if (!names) {
      const name = (metric: string) => `${prefixes[view]}/${metric}/${path}`;
      const plain = METRICS.map((metric) => [metric, name(metric)]);
      const ofPercentiles = percentiles.map((percentile) => name(`p${percentile}`));
      names = { ...Object.fromEntries(plain), percentiles: ofPercentiles } as MetricNames;
      known[view].set(path, names);
    }
    return names;
  };
}
