import { is, type OptionRule } from '@hookline/hook-api';
import { isMetricFilter, type MetricFilter } from './metric-filter.js';

/** The options that every log has. */
export interface LogOptions {
  /** A record every so many batches of an epoch; `false`: none of batches. */
  every?: number | false;
  /** The metrics to log, by name or glob. Default all. */
  metrics?: MetricFilter;
}

export const LOG_RULES: { readonly [Name in keyof Required<LogOptions>]: OptionRule } = {
  every: is.either(is.integer({ min: 1 }), is.oneOf(false)),
  metrics: isMetricFilter,
};
