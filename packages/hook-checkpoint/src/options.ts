import { defineOptions, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import { checkpointError } from './errors.js';
import { type FilenameTemplate, filenameTemplate } from './folder/filename-template.js';
import {
  type CheckpointMonitor,
  filled,
  type MonitorRule,
  monitorOption,
  monitorsOf,
} from './rank/monitor-options.js';
import type { Pace } from './save/cadence.js';

export interface CheckpointOptions {
  /** The folder that holds the checkpoints. Default: `checkpoints` in the run's folder; see "Where" in the README. */
  dir?: string;
  /**
   * The metric that ranks checkpoints, or several, each with its own best: `['val/loss', { metric: 'val/accuracy',
   * mode: 'max', saveTopK: 1 }]`. Default `val/loss`, and a run that does not validate keeps its newest.
   */
  monitor?: string | readonly (string | CheckpointMonitor)[];
  /** Whether lower (`min`, the default) or higher (`max`) is better; for metrics without a `mode`. */
  mode?: 'min' | 'max';
  /** How many of the best are kept, by each metric without a `saveTopK`. Default 3; 0: none, -1: all. */
  saveTopK?: number;
  /** Keep the newest as well, whatever its metric. Default true. */
  saveLast?: boolean;
  /** When to save; several can be given. Default `{ epochs: 1 }`. */
  every?: { steps?: number; epochs?: number; minutes?: number };
  /** Default `epoch_{epoch}_step_{step}`. Metrics with format: `epoch_{epoch}_loss_{val/loss:.2f}`. */
  filename?: string;
  /** `{val/loss}` becomes `val_loss=0.12` instead of `0.12`. Default false. */
  autoInsertMetricName?: boolean;
  /**
   * `true`: only at the end of an epoch, never after a validation in its middle. `false`: an epoch that is due waits
   * for a validation. Default: both.
   */
  saveOnTrainEpochEnd?: boolean;
  /** `tfjs`: `model.json` and `weights.bin`, which `tf.loadLayersModel` reads. Default `safetensors`. */
  format?: 'safetensors' | 'tfjs';
  /** Write on another thread while training continues. Default true. */
  async?: boolean;
  /** When nothing can be written (disk full, read-only, gone): `warn` (default) trains on, `stop` ends the run. */
  onDiskFull?: 'warn' | 'stop';
  /** When the metric or a weight is NaN or infinite: `ignore` (default) warns, `stop` and `error` end the run. */
  onNonFinite?: 'ignore' | 'stop' | 'error';
  /** Refuse to save trainable weights that are not finite. Default true. */
  checkWeights?: boolean;
  /** Save when the run fails. Default true. */
  saveOnException?: boolean;
  /** Save when a signal ends the run. Default true. */
  saveOnSignal?: boolean;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    checkpoint: CheckpointOptions;
  }
}

/** The options with their defaults. */
export interface CheckpointRules {
  dir: string | undefined;
  /** At least one. The first decides what `best` is. */
  monitors: readonly MonitorRule[];
  /** The user has named the metrics: they must be there. */
  monitorIsNamed: boolean;
  saveLast: boolean;
  every: Pace;
  filename: FilenameTemplate;
  saveOnTrainEpochEnd: boolean | undefined;
  format: 'safetensors' | 'tfjs';
  async: boolean;
  onDiskFull: 'warn' | 'stop';
  onNonFinite: 'ignore' | 'stop' | 'error';
  checkWeights: boolean;
  saveOnException: boolean;
  saveOnSignal: boolean;
}

const pace: OptionRule = (value) => {
  const expected = 'one or more of { steps, epochs, minutes }: whole numbers of at least 1, minutes above 0';
  const entries = Object.entries(Object(value) as object).filter(([, size]) => size !== undefined);
  const fits = entries.every(([unit, size]) => {
    if (unit === 'minutes') return typeof size === 'number' && size > 0;
    return ['steps', 'epochs'].includes(unit) && is.integer({ min: 1 })(size) === undefined;
  });
  return typeof value === 'object' && entries.length > 0 && fits ? undefined : expected;
};

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  dirpath: 'Did you mean "dir"?',
  filepath: 'Did you mean "dir" and "filename"?',
  path: 'Did you mean "dir"?',
  saveBestOnly: 'The best are kept with saveTopK: 1, and saveLast: false keeps no others.',
  saveWeightsOnly: 'A checkpoint always holds the whole run; trainer.load(path) takes only its weights.',
  saveFreq: 'Did you mean every: { epochs: 1 } or every: { steps: 1000 }?',
  period: 'Did you mean every: { epochs: 1 }?',
  everyNEpochs: 'Did you mean every: { epochs: 1 }?',
  everyNTrainSteps: 'Did you mean every: { steps: 1000 }?',
  trainTimeInterval: 'Did you mean every: { minutes: 30 }?',
  maxToKeep: 'Did you mean "saveTopK"?',
  keep: 'Did you mean "saveTopK"?',
  metric: 'Did you mean "monitor"?',
};

export const schema: OptionsSchema<CheckpointOptions> = withForeignNames(
  defineOptions<CheckpointOptions>('checkpoint', {
    dir: filled,
    monitor: monitorOption,
    mode: is.oneOf('min', 'max'),
    saveTopK: is.integer({ min: -1 }),
    saveLast: is.boolean,
    every: pace,
    filename: filled,
    autoInsertMetricName: is.boolean,
    saveOnTrainEpochEnd: is.boolean,
    format: is.oneOf('safetensors', 'tfjs'),
    async: is.boolean,
    onDiskFull: is.oneOf('warn', 'stop'),
    onNonFinite: is.oneOf('ignore', 'stop', 'error'),
    checkWeights: is.boolean,
    saveOnException: is.boolean,
    saveOnSignal: is.boolean,
  }),
  'checkpoint',
  FOREIGN,
);

/** The rules of options that the schema has passed. */
export function rulesOf(options: CheckpointOptions): CheckpointRules {
  const { filename = 'epoch_{epoch}_step_{step}' } = options;
  const monitors = monitorsOf(options);
  if (monitors.every(({ saveTopK }) => saveTopK === 0) && options.saveLast === false) {
    throw checkpointError(
      'HOOK_OPTIONS',
      'Hook "checkpoint" was given saveTopK: 0 and saveLast: false, so it would keep nothing. ' +
        'Keep one of the two, or switch the hook off with checkpoint: false.',
    );
  }
  return {
    dir: options.dir,
    monitors,
    monitorIsNamed: options.monitor !== undefined,
    saveLast: options.saveLast ?? true,
    every: options.every ?? { epochs: 1 },
    filename: filenameTemplate(filename, options.autoInsertMetricName ?? false),
    saveOnTrainEpochEnd: options.saveOnTrainEpochEnd,
    format: options.format ?? 'safetensors',
    async: options.async ?? true,
    onDiskFull: options.onDiskFull ?? 'warn',
    onNonFinite: options.onNonFinite ?? 'ignore',
    checkWeights: options.checkWeights ?? true,
    saveOnException: options.saveOnException ?? true,
    saveOnSignal: options.saveOnSignal ?? true,
  };
}
