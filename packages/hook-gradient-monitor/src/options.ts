import { defineOptions, didYouMean, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import type { PathFilter } from '@hookline/layer-taps';

export type GradientStat = 'min' | 'max' | 'mean' | 'std' | 'zeros' | 'nonfinite' | 'update-ratio';

export interface GradientMonitorOptions {
  /** Look at the first step and then at every n-th. Default 100. */
  every?: number;
  /**
   * The parameters to look at: a path, a layer's path (for everything below it), a glob, a regular expression, a list
   * of these, or a function of the path. Default all.
   */
  params?: PathFilter;
  /** The gradients before clipping (`raw`, the default), as they are applied, or both. */
  gradients?: 'raw' | 'applied' | 'both';
  /** Log the norm of all gradients and of each parameter's. Default true. */
  norm?: boolean;
  /** What else to log for each parameter. Default `zeros`, `nonfinite` and `update-ratio`. */
  stats?: readonly GradientStat[];
  /** The percentiles to log for each parameter's gradient, from 0 to 100. Default 10, 50 and 90. */
  percentiles?: readonly number[];
  /** Leave a histogram of each parameter's gradient for loggers. Default true. */
  histogram?: boolean;
  /** Warn about layers whose gradient has a norm below this; `false` switches it off. Default 1e-7. */
  vanishing?: number | false;
  /** Warn about layers whose gradient has a norm above this; `false` switches it off. Default 1000. */
  exploding?: number | false;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'gradient-monitor': GradientMonitorOptions;
  }
}

export type GradientMonitorRules = Required<Omit<GradientMonitorOptions, 'params'>> & {
  params: PathFilter | undefined;
};

const STATS: readonly GradientStat[] = ['min', 'max', 'mean', 'std', 'zeros', 'nonfinite', 'update-ratio'];

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  logFreq: 'Did you mean "every"?',
  watch: 'Did you mean "params"?',
  log: 'Did you mean "gradients"?',
};

export const schema: OptionsSchema<GradientMonitorOptions> = withForeignNames(
  defineOptions<GradientMonitorOptions>('gradient-monitor', {
    every: is.integer({ min: 1 }),
    params: isPathFilter,
    gradients: is.oneOf('raw', 'applied', 'both'),
    norm: is.boolean,
    stats: isStats,
    percentiles: isPercentiles,
    histogram: is.boolean,
    vanishing: is.either(is.number({ min: 0 }), is.oneOf(false)),
    exploding: is.either(is.number({ min: 0 }), is.oneOf(false)),
  }),
  'gradient-monitor',
  FOREIGN,
);

export function rulesOf(options: GradientMonitorOptions): GradientMonitorRules {
  return {
    every: options.every ?? 100,
    params: options.params,
    gradients: options.gradients ?? 'raw',
    norm: options.norm ?? true,
    stats: options.stats ?? ['zeros', 'nonfinite', 'update-ratio'],
    percentiles: options.percentiles ?? [10, 50, 90],
    histogram: options.histogram ?? true,
    vanishing: options.vanishing ?? 1e-7,
    exploding: options.exploding ?? 1000,
  };
}

function isPathFilter(value: unknown): ReturnType<OptionRule> {
  const isEntry = (entry: unknown) => (typeof entry === 'string' && entry !== '') || entry instanceof RegExp;
  const entries = [value].flat();
  if (typeof value === 'function' || (entries.length > 0 && entries.every(isEntry))) return undefined;
  return 'a path, a glob, a RegExp, a list of these, or a function of the path';
}

function isStats(value: unknown): ReturnType<OptionRule> {
  if (Array.isArray(value) && value.every((each) => STATS.includes(each))) return undefined;
  const unknown = [value].flat().find((each) => !STATS.includes(each as GradientStat));
  return `a list of ${STATS.join(', ')}${typeof unknown === 'string' ? ` (no "${unknown}".${didYouMean(unknown, STATS)})` : ''}`;
}

function isPercentiles(value: unknown): ReturnType<OptionRule> {
  const isPercentile = is.number({ min: 0, max: 100 });
  const fits = Array.isArray(value) && value.every((each) => isPercentile(each) === undefined);
  return fits ? undefined : 'a list of numbers from 0 to 100';
}
