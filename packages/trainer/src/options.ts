import { didYouMean, type HookLogger } from '@hookline/hook-api';
import { checkKeys } from '@hookline/hook-api/helpers';
import type { RegistryOptions } from '@hookline/hook-discovery';
import { checkOptimizers, clipOf, createSchedule, type EmaOptions } from '@hookline/optimizers';
import { parseBackendOption } from './backends/backend-option.js';
import { trainerError } from './errors.js';
import type { TfjsCallback } from './hooks/callback-hook.js';
import { OF_FIT, OF_TRAINER } from './loop/foreign-options.js';
import type { FitOptions, StepOptions } from './loop/plan.js';
import type { EvaluateOptions } from './loop/stages.js';
import type { Model } from './model/build-model.js';
import { batchLoss } from './objective/losses/batch-loss.js';
import { checkMetricOptions } from './objective/metrics/output-metrics.js';
import type { WeightFilter } from './resume/load-weights.js';
import { RESUME_SETTINGS, type ResumeSetting } from './resume/settings.js';
import type { PrepareOptions } from './run/prepare.js';
import { checkHyperparameters, type Hyperparameters } from './run/record/hyperparameters.js';
import { checkStrategy } from './strategies/strategy.js';

export interface TrainerOptions<Built extends Model = Model>
  extends PrepareOptions<Built>,
    StepOptions,
    RegistryOptions {
  /** Callbacks written for tfjs's `model.fit`; they run as hooks. */
  callbacks?: readonly TfjsCallback[];
  /** Fixes initialisation, shuffling and dropout; drawn at random when absent, and recorded. */
  seed?: number;
  /** What your own code varies, such as the size of the model: recorded and logged with the config of the run. */
  hyperparameters?: Hyperparameters;
  /** Keeps a moving average of the weights, which is swapped in for validation. */
  ema?: EmaOptions;
  /**
   * How many seconds a hook may take to settle before the run fails with an error that names it; default 10. A hook with a
   * longer `timeout` of its own has that. `false`: no limit.
   */
  hookTimeout?: number | false;
  /**
   * `false`: does not listen for SIGINT, SIGTERM and SIGHUP, and does not set the exit code of the process. By default the
   * first signal ends the run cleanly.
   */
  signals?: boolean;
  /** Where run folders go, `runs` in the project when absent; `false` writes nothing. */
  runsDir?: string | false;
  /** Receives what the trainer and its hooks log; a pino logger will do. */
  logger?: HookLogger;
}

export interface LoadOptions {
  /** Which weights of the model: `all` (default), or those whose paths match. */
  weights?: WeightFilter;
}

/** In seconds. */
export const DEFAULT_HOOK_TIMEOUT = 10;

export const TRAINER_KEYS: readonly (keyof TrainerOptions)[] = [
  'model',
  'loss',
  'lossWeights',
  'classWeights',
  'labelSmoothing',
  'ignoreLabel',
  'optimizer',
  'schedule',
  'metrics',
  'hooks',
  'discover',
  'root',
  'callbacks',
  'seed',
  'hyperparameters',
  'backend',
  'strategy',
  'accumulate',
  'ema',
  'hookTimeout',
  'signals',
  'clip',
  'nonFiniteLoss',
  'runsDir',
  'logger',
];

export const FIT_KEYS: readonly (keyof FitOptions)[] = [
  'train',
  'validation',
  'validationSplit',
  'epochs',
  'batchSize',
  'shuffle',
  'resume',
  'strictResume',
  'override',
  'maxSteps',
  'maxSeconds',
  'limitTrainBatches',
  'limitValBatches',
  'overfitBatches',
  'sanityBatches',
  'validateEvery',
  'fastDevRun',
];

export function checkTrainerOptions(options: TrainerOptions): void {
  checkKeys(options, TRAINER_KEYS, 'new Trainer()', OF_TRAINER);
  if (!options.model) throw trainerError('BAD_OPTIONS', 'new Trainer() needs a model.');
  parseBackendOption(options.backend);
  checkStrategy(options.strategy);
  // The same as when they are used, so that a typo shows where it was written.
  if (options.loss) batchLoss(options.loss, options);
  checkMetricOptions(options.metrics, options.loss);
  if (options.optimizer) checkOptimizers(options.optimizer);
  if (options.schedule) createSchedule(options.schedule);
  if (options.clip) clipOf(options.clip);
  checkHyperparameters(options.hyperparameters);
  const { accumulate = 1, ema } = options;
  for (const count of typeof accumulate === 'number' ? [accumulate] : Object.values(accumulate)) {
    checkCount('new Trainer()', 'accumulate', count);
  }
  if (ema) checkAbove('new Trainer()', 'ema.decay', ema.decay, 1);
  const { nonFiniteLoss = 'warn', seed = 0 } = options;
  if (!['warn', 'skip', 'throw'].includes(nonFiniteLoss)) {
    throw trainerError(
      'BAD_OPTIONS',
      `new Trainer(): nonFiniteLoss is "${nonFiniteLoss}", expected "warn", "skip" or "throw".`,
    );
  }
  const { hookTimeout = false, runsDir = false } = options;
  if (hookTimeout !== false && !(typeof hookTimeout === 'number' && hookTimeout > 0)) {
    throw trainerError(
      'BAD_OPTIONS',
      `new Trainer(): hookTimeout is ${shown(hookTimeout)}, expected a number of seconds above 0, or false.`,
    );
  }
  checkSwitch('new Trainer()', 'signals', options.signals);
  if (runsDir !== false && (typeof runsDir !== 'string' || runsDir === '')) {
    throw trainerError(
      'BAD_OPTIONS',
      `new Trainer(): runsDir is ${shown(runsDir)}, expected the path of a folder, or false.`,
    );
  }
  if (!Number.isSafeInteger(seed)) {
    throw trainerError('BAD_OPTIONS', `new Trainer(): seed is ${shown(seed)}, expected a whole number.`);
  }
}

export function checkFitOptions(options: FitOptions): void {
  checkKeys(options, FIT_KEYS, 'fit()', OF_FIT);
  checkCount('fit()', 'epochs', options.epochs, true);
  for (const name of ['batchSize', 'maxSteps', 'overfitBatches', 'sanityBatches'] as const) {
    checkCount('fit()', name, options[name]);
  }
  for (const name of ['maxSeconds', 'limitTrainBatches', 'limitValBatches'] as const) {
    checkAbove('fit()', name, options[name]);
  }
  for (const name of ['shuffle', 'strictResume', 'fastDevRun'] as const) {
    checkSwitch('fit()', name, options[name]);
  }
  checkResume(options.resume);
  checkAbove('fit()', 'validationSplit', options.validationSplit, 1);
  if (options.validation !== undefined && options.validationSplit !== undefined) {
    throw trainerError(
      'BAD_OPTIONS',
      'fit(): validationSplit takes the validation data from the training data, but validation is given as well. Leave one of them out.',
    );
  }
  checkOverride(options);
  const { validateEvery } = options;
  if (validateEvery === undefined) return;
  checkKeys(validateEvery, ['epochs', 'steps'], 'fit(): validateEvery');
  for (const [unit, every] of Object.entries(validateEvery))
    checkCount('fit()', `validateEvery.${unit}`, every);
}

export function checkEvaluateOptions(where: string, options: EvaluateOptions): void {
  checkKeys(options, ['data', 'batchSize', 'checkpoint'], where);
  checkCount(where, 'batchSize', options.batchSize);
}

function checkOverride({ override, resume }: FitOptions): void {
  if (override === undefined || override === true) return;
  const names: readonly string[] = Array.isArray(override) ? override : [String(override)];
  const unknown = names.find((name) => !RESUME_SETTINGS.includes(name as ResumeSetting));
  if (resume !== undefined && Array.isArray(override) && unknown === undefined) return;
  throw trainerError(
    'BAD_OPTIONS',
    unknown === undefined
      ? 'fit(): override needs resume, and is true or a list of settings.'
      : `fit(): override names "${unknown}".${didYouMean(unknown, RESUME_SETTINGS)} Expected true, or a list of: ${RESUME_SETTINGS.join(', ')}.`,
  );
}

export function checkLoad(checkpoint: string): void {
  if (typeof checkpoint === 'string' && checkpoint !== '' && checkpoint !== 'auto') return;
  throw trainerError(
    'BAD_OPTIONS',
    `load() was given ${JSON.stringify(checkpoint)}, expected 'best', 'last' or the path of a checkpoint. To continue a run, use fit({ resume: 'auto' }).`,
  );
}

function checkResume(resume: unknown): void {
  if (resume === undefined || (typeof resume === 'string' && resume !== '')) return;
  throw trainerError(
    'BAD_OPTIONS',
    `fit(): resume is ${JSON.stringify(resume)}, expected "auto", "best", "last" or the path of a checkpoint. ` +
      'Did you mean resume: "auto"? It continues the last run, or starts one. To start from scratch, leave resume out.',
  );
}

function checkAbove(where: string, name: string, value: number | undefined, below = Infinity): void {
  if (value === undefined || (typeof value === 'number' && value > 0 && value < below)) return;
  const range = below === Infinity ? 'above 0' : `between 0 and ${below}`;
  throw trainerError('BAD_OPTIONS', `${where}: ${name} is ${shown(value)}, expected a number ${range}.`);
}

function checkCount(where: string, name: string, value: number | undefined, required = false): void {
  if (value === undefined && !required) return;
  if (Number.isInteger(value) && value! > 0) return;
  throw trainerError('BAD_OPTIONS', `${where}: ${name} is ${shown(value)}, expected a whole number above 0.`);
}

/** From a command line they come as text, and "off" would count as on. */
function checkSwitch(where: string, name: string, value: boolean | undefined): void {
  if (value === undefined || typeof value === 'boolean') return;
  throw trainerError('BAD_OPTIONS', `${where}: ${name} is ${shown(value)}, expected true or false.`);
}

/** Text in quotes: "3" is not 3. */
function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
