import type { Data } from '@hookline/data';
import { messageOf } from '@hookline/hook-api/helpers';
import { kindOf } from '../errors.js';
import type { FitOptions } from '../loop/plan.js';
import type { TrainerOptions } from '../options.js';
import { RUN_ORIGIN, type RunOrigin } from '../run/record/run-origin.js';
import { Trainer } from '../trainer.js';
import { dataProblems } from './check-config.js';
import type { DataSets } from './config.js';
import { referenced } from './file-reference.js';
import { type ConfigOptions, type LoadedConfig, loadConfig } from './load-config.js';
import { isPlain } from './plain.js';
import { type ConfigProblem, configError, problemsIn } from './problems.js';

/** All that `hookline train` needs, from a config file. */
export interface Training extends LoadedConfig {
  /** Ready: its backend is chosen, its model built, its hooks loaded. */
  readonly trainer: Trainer;
  /** What to give to `trainer.fit()`. */
  readonly fit: FitOptions;
  /** What to test on after that. */
  readonly test: Data | undefined;
}

/**
 * A training from its config file: finds and checks the file, applies overrides, and makes the trainer and the options of
 * its `fit`. Works in any process; the runs it makes know the file and the overrides. `accept` is shown the record of a
 * fit before its first step, and may refuse it.
 *
 * @example
 * const { trainer, fit } = await loadTraining({ file: 'hookline.config.ts', set: { 'optimizer.lr': 0.01 } });
 * await trainer.fit(fit);
 */
export async function loadTraining(
  options: ConfigOptions = {},
  accept?: RunOrigin['accept'],
): Promise<Training> {
  const loaded = await loadConfig(options);
  const { file, root, config, overrides } = loaded;
  const { model, data, loss, fit, hyperparameters = {}, ...rest } = config;
  const [made, loads, minimised] = await allReferenced(file, { model, data, loss });
  const settings = {
    ...rest,
    root,
    ...(minimised !== undefined && { loss: minimised }),
    ...(config.hyperparameters && { hyperparameters }),
    // A function, so that the seed decides the weights.
    model: typeof made === 'function' ? () => made(hyperparameters) : made,
  } as TrainerOptions;
  const trainer = new Trainer(
    Object.assign(settings, { [RUN_ORIGIN]: { configFile: file, overrides, accept } }),
  );
  // Before the data, whose tensors are then made on the backend that trains.
  await trainer.ready();
  const { test, ...sets } = await dataOf(file, loads, hyperparameters);
  return { ...loaded, trainer, fit: { ...sets, ...fit }, test };
}

/** What the references of the config stand for; every one that fails is named. */
async function allReferenced(file: string, values: Readonly<Record<string, unknown>>): Promise<unknown[]> {
  const problems: ConfigProblem[] = [];
  const found: unknown[] = [];
  for (const [path, value] of Object.entries(values)) {
    try {
      found.push(await referenced(value, file));
    } catch (error) {
      problems.push(...problemsIn(error, path));
    }
  }
  if (problems.length > 0) throw configError(file, problems);
  return found;
}

async function dataOf(file: string, given: unknown, hyperparameters: object): Promise<DataSets> {
  let data: unknown;
  try {
    data = typeof given === 'function' ? await given(hyperparameters) : given;
  } catch (error) {
    throw Object.assign(
      configError(file, [{ path: 'data', message: `loading it failed: ${messageOf(error)}` }]),
      {
        cause: error,
      },
    );
  }
  if (!isPlain(data)) {
    throw configError(file, [
      { path: 'data', message: `it is ${kindOf(data)}, expected { train, validation?, test? }.` },
    ]);
  }
  const problems = dataProblems(data);
  if (problems.length > 0) throw configError(file, problems);
  return data as unknown as DataSets;
}
