import { defineOptions, HooklineError, is, type OptionRule, type OptionsSchema } from '@hookline/hook-api';
import { modeOf } from '@hookline/hook-api/helpers';
import type { Pace } from './cadence.js';
import { type FilenameTemplate, filenameTemplate } from './filename-template.js';

export interface CheckpointOptions {
  /** The folder that holds the checkpoints. Default: `checkpoints` in the run's folder; see "Where" in the README. */
  dir?: string;
  /** The metric that ranks checkpoints. Default `val/loss`, and a run that does not validate ranks by age. */
  monitor?: string;
  /** Whether lower (`min`, the default) or higher (`max`) is better. */
  mode?: 'min' | 'max';
  /** How many of the best are kept. Default 3; 0 keeps none, -1 keeps all. */
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
  /** Write on another thread while training goes on. Default true. */
  async?: boolean;
  /** When nothing can be written (full, read-only, gone): `warn` (default) goes on, `stop` ends the run. */
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

/** The options with their defaults. */
export interface CheckpointRules {
  dir: string | undefined;
  monitor: string;
  /** The user has named the metric: it must be there. */
  monitorIsNamed: boolean;
  mode: 'min' | 'max';
  saveTopK: number;
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

const filled: OptionRule = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'a string that is not empty';

const pace: OptionRule = (value) => {
  const expected = 'one or more of { steps, epochs, minutes }: whole numbers of at least 1, minutes above 0';
  const entries = Object.entries(Object(value) as object).filter(([, size]) => size !== undefined);
  const fits = entries.every(([unit, size]) => {
    if (unit === 'minutes') return typeof size === 'number' && size > 0;
    return ['steps', 'epochs'].includes(unit) && is.integer({ min: 1 })(size) === undefined;
  });
  return typeof value === 'object' && entries.length > 0 && fits ? undefined : expected;
};

export const schema: OptionsSchema = defineOptions<CheckpointOptions>('checkpoint', {
  dir: filled,
  monitor: filled,
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
});

export function rulesOf(options: CheckpointOptions): CheckpointRules {
  schema.check(options);
  const { monitor = 'val/loss', filename = 'epoch_{epoch}_step_{step}' } = options;
  if (options.saveTopK === 0 && options.saveLast === false) {
    throw new HooklineError(
      'HOOK_OPTIONS',
      'Hook "checkpoint" was given saveTopK: 0 and saveLast: false, with which it would keep nothing. ' +
        'Keep one of the two, or switch the hook off with checkpoint: false.',
    );
  }
  return {
    dir: options.dir,
    monitor,
    monitorIsNamed: options.monitor !== undefined,
    mode: modeOf('checkpoint', monitor, options.mode),
    saveTopK: options.saveTopK ?? 3,
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
