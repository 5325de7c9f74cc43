import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, modeOf, withForeignNames } from '@hookline/hook-api/helpers';

export interface EarlyStoppingOptions {
  /** The metric to watch, with its prefix. Default `val/loss`. */
  monitor?: string;
  /** Checks in a row without improvement before the run stops. Default 10. */
  patience?: number;
  /** Whether lower (`min`, the default) or higher (`max`) is better. */
  mode?: 'min' | 'max';
  /** An improvement must be larger than this. Default 0.0001. */
  minDelta?: number;
  /** `true` (default): a missing metric ends the run with an error. `false`: warn once and wait for it. */
  strict?: boolean;
  /**
   * Put the best weights back when the run ends. `true` and `memory`: a copy is kept in memory. `checkpoint`: they are
   * saved as a checkpoint, which takes no memory. Default false.
   */
  restoreBest?: boolean | 'memory' | 'checkpoint';
  /** Stop as soon as the metric is this good. */
  stoppingThreshold?: number;
  /** Stop as soon as the metric is worse than this. */
  divergenceThreshold?: number;
  /** Stop when the metric is NaN or infinite. Default true. */
  checkFinite?: boolean;
  /** Check after the epoch instead of after validation. Default: true for a `train/` metric, else false. */
  checkOnTrainEpochEnd?: boolean;
  /** Improvements do not reset the patience until the metric is better than this. */
  baseline?: number;
  /** Log every check. Default false. */
  verbose?: boolean;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'early-stopping': EarlyStoppingOptions;
  }
}

/** The options with their defaults. */
export interface EarlyStoppingRules {
  monitor: string;
  patience: number;
  mode: 'min' | 'max';
  minDelta: number;
  strict: boolean;
  restoreBest: false | 'memory' | 'checkpoint';
  stoppingThreshold: number | undefined;
  divergenceThreshold: number | undefined;
  checkFinite: boolean;
  checkOnTrainEpochEnd: boolean;
  baseline: number | undefined;
  verbose: boolean;
}

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  restoreBestWeights: 'Did you mean restoreBest: true?',
  startFromEpoch: 'Checks begin with the first epoch: raise patience instead.',
  delta: 'Did you mean "minDelta"?',
  metric: 'Did you mean "monitor"?',
};

export const schema: OptionsSchema<EarlyStoppingOptions> = withForeignNames(
  defineOptions<EarlyStoppingOptions>('early-stopping', {
    monitor: is.string,
    patience: is.integer({ min: 1 }),
    mode: is.oneOf('min', 'max'),
    minDelta: is.number({ min: 0 }),
    strict: is.boolean,
    restoreBest: is.oneOf(true, false, 'memory', 'checkpoint'),
    stoppingThreshold: is.number(),
    divergenceThreshold: is.number(),
    checkFinite: is.boolean,
    checkOnTrainEpochEnd: is.boolean,
    baseline: is.number(),
    verbose: is.boolean,
  }),
  'early-stopping',
  FOREIGN,
);

/** The rules of options that the schema has passed. */
export function rulesOf(options: EarlyStoppingOptions): EarlyStoppingRules {
  const { monitor = 'val/loss' } = options;
  return {
    monitor,
    mode: modeOf('early-stopping', monitor, options.mode),
    patience: options.patience ?? 10,
    minDelta: options.minDelta ?? 0.0001,
    strict: options.strict ?? true,
    restoreBest: options.restoreBest === true ? 'memory' : (options.restoreBest ?? false),
    stoppingThreshold: options.stoppingThreshold,
    divergenceThreshold: options.divergenceThreshold,
    checkFinite: options.checkFinite ?? true,
    checkOnTrainEpochEnd: options.checkOnTrainEpochEnd ?? monitor.startsWith('train/'),
    baseline: options.baseline,
    verbose: options.verbose ?? false,
  };
}
