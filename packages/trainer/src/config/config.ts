import type { Data } from '@hookline/data';
import type { CheckedHooks, HooksOption } from '@hookline/hook-discovery';
import type { FitOptions } from '../loop/plan.js';
import type { Model } from '../model/build-model.js';
import type { LossOption } from '../objective/losses/output-losses.js';
import type { TrainerOptions } from '../options.js';
import type { Hyperparameters } from '../run/record/hyperparameters.js';

/** A file, relative to the config file, and the export to take: `./model.ts#createModel`, without `#` the default export. */
export type FileReference = `./${string}` | `../${string}`;

/** What is trained and measured on. */
export interface DataSets {
  train: Data;
  validation?: Data;
  /** Tested after training. */
  test?: Data;
}

type MayWait<Value> = Value | Promise<Value>;

/** A whole training, as `hookline.config.ts` exports it: the options of `new Trainer()`, the data, and those of `fit()`. */
export interface Config<Given extends Hyperparameters = Hyperparameters>
  extends Omit<TrainerOptions, 'model' | 'loss' | 'hyperparameters' | 'root'> {
  /** A model, a function that makes one, which gets the hyperparameters, or the file of either. */
  model: Model | ((hyperparameters: Given) => MayWait<Model>) | FileReference;
  /** The data, a function that loads it, which gets the hyperparameters, or the file of either. */
  data: DataSets | ((hyperparameters: Given) => MayWait<DataSets>) | FileReference;
  /** What is minimised; a function may be given as its file. */
  loss?: LossOption | FileReference;
  /** What the functions of `model` and `data` get; `--set hyperparameters.units=64` changes one of them. */
  hyperparameters?: Given;
  /** The options of `fit()`, apart from its data. */
  fit: Omit<FitOptions, 'train' | 'validation'>;
}

/**
 * The config as it is, with types: the editor completes options, also those of hooks whose packages the project has.
 *
 * @example export default defineConfig({ model: './model.ts#createModel', data: './data.ts#loadData', loss: 'meanSquaredError', fit: { epochs: 10 } });
 */
export function defineConfig<
  Given extends Hyperparameters = Hyperparameters,
  const Hooks extends HooksOption = HooksOption,
>(config: Config<Given> & { hooks?: Hooks & CheckedHooks<Hooks> }): Config<Given> {
  return config;
}
