import type { Metrics, OptionRule } from '@hookline/hook-api';

/** Names or globs such as `val/*`; `*` matches anything, including slashes. */
export type MetricFilter = string | readonly string[];

export const isMetricFilter: OptionRule = (value) =>
  [value].flat().every((each) => typeof each === 'string') ? undefined : 'a name or glob, or a list of them';

/** Returns a function that keeps the metrics that match; without a filter, all of them. */
export function metricFilter(filter: MetricFilter | undefined): (metrics: Metrics) => Metrics {
  if (filter === undefined) return (metrics) => metrics;
  const patterns = [filter].flat().map(globToPattern);
  const matches = (name: string) => patterns.some((pattern) => pattern.test(name));
  return (metrics) => Object.fromEntries(Object.entries(metrics).filter(([name]) => matches(name)));
}

function globToPattern(glob: string): RegExp {
  const parts = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}
