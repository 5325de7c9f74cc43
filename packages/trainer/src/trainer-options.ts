import type { HookLogger } from '@hookline/hook-api';
import type { BackendName } from './backends/select-backend.js';
import type { TfjsCallback } from './callback-hook.js';
import type { Data } from './data/sources.js';
import { checkKeys, trainerError } from './errors.js';
import type { LossOption } from './losses/batch-loss.js';
import type { MetricOption } from './metrics/metric-totals.js';
import type { ModelOption } from './model/build-model.js';
import type { ClipOption } from './optimizers/clip.js';
import type { OptimizerOption } from './optimizers/create-optimizers.js';
import type { RegistryOptions } from './registry/hook-registry.js';
import type { StrategyOption } from './strategy.js';

export interface TrainerOptions extends RegistryOptions {
  /** A model, or a function that makes one: then initialisation follows the seed. */
  model: ModelOption;
  /** What is minimised. Not needed when the model is a module with its own `loss`. */
  loss?: LossOption;
  /** `adam` when absent. */
  optimizer?: OptimizerOption;
  metrics?: readonly MetricOption[];
  /** Callbacks written for tfjs's `model.fit`; they run as hooks. */
  callbacks?: readonly TfjsCallback[];
  /** Fixes initialisation, shuffling and dropout; drawn at random when absent, and recorded. */
  seed?: number;
  /** `auto`: the best that works here, of tfjs-node-gpu, tfjs-node, wasm and cpu. */
  backend?: BackendName;
  strategy?: StrategyOption;
  /** Batches in an optimizer step; 1 when absent. */
  accumulate?: number;
  clip?: ClipOption;
  /** `warn` (default) goes on; `skip` and `throw` read the loss before each update and keep the weights intact. */
  nonFiniteLoss?: 'warn' | 'skip' | 'throw';
  /** Where run folders go, `runs` in the project when absent; `false` writes nothing. */
  runsDir?: string | false;
  /** Takes what the trainer and its hooks have to say; a pino logger will do. */
  logger?: HookLogger;
}

export interface FitOptions {
  train: Data;
  validation?: Data;
  epochs: number;
  /** For data given as `{ xs, ys }`; 32 when absent. */
  batchSize?: number;
  /** For training data given as `{ xs, ys }`; true when absent. */
  shuffle?: boolean;
  /** Continues from a checkpoint: the newest, the best, or this one. */
  resume?: 'auto' | 'best' | (string & {});
}

export interface EvaluateOptions {
  data: Data;
  batchSize?: number;
}

const TRAINER_KEYS: readonly (keyof TrainerOptions)[] = [
  'model',
  'loss',
  'optimizer',
  'metrics',
  'hooks',
  'discover',
  'root',
  'callbacks',
  'seed',
  'backend',
  'strategy',
  'accumulate',
  'clip',
  'nonFiniteLoss',
  'runsDir',
  'logger',
];

const FIT_KEYS: readonly (keyof FitOptions)[] = [
  'train',
  'validation',
  'epochs',
  'batchSize',
  'shuffle',
  'resume',
];

export function checkTrainerOptions(options: TrainerOptions): void {
  checkKeys(options, TRAINER_KEYS, 'new Trainer()');
  if (!options.model) throw trainerError('BAD_OPTIONS', 'new Trainer() needs a model.');
  checkCount('new Trainer()', 'accumulate', options.accumulate);
  const { nonFiniteLoss = 'warn', seed = 0 } = options;
  if (!['warn', 'skip', 'throw'].includes(nonFiniteLoss)) {
    throw trainerError(
      'BAD_OPTIONS',
      `nonFiniteLoss is "${nonFiniteLoss}", expected "warn", "skip" or "throw".`,
    );
  }
  if (!Number.isSafeInteger(seed)) {
    throw trainerError('BAD_OPTIONS', `seed is ${seed}, expected a whole number.`);
  }
}

export function checkFitOptions(options: FitOptions): void {
  checkKeys(options, FIT_KEYS, 'fit()');
  checkCount('fit()', 'epochs', options.epochs, true);
  checkCount('fit()', 'batchSize', options.batchSize);
}

export function checkEvaluateOptions(where: string, options: EvaluateOptions): void {
  checkKeys(options, ['data', 'batchSize'], where);
  checkCount(where, 'batchSize', options.batchSize);
}

function checkCount(where: string, name: string, value: number | undefined, required = false): void {
  if (value === undefined && !required) return;
  if (Number.isInteger(value) && value! > 0) return;
  throw trainerError('BAD_OPTIONS', `${where}: ${name} is ${value}, expected a whole number above 0.`);
}
