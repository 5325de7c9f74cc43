import { is, type OptionRules } from '@hookline/hook-api';
import { checkOptions, modeOf } from '@hookline/hook-api/helpers';
import { sweepError } from './errors.js';
import { gridSize } from './search/grid.js';
import { checkSpace, type SearchSpace } from './space.js';

/** What `sweep.config.ts` exports. */
export interface SweepConfig {
  /** The settings to search, by their path in the training config: `{ 'optimizer.lr': logUniform(1e-4, 1e-1) }`. */
  space: SearchSpace;
  /** How points are chosen. Default `tpe`: learns from the trials so far. */
  search?: 'tpe' | 'random' | 'grid';
  /** How many trials. A grid has as many as it has points when absent; otherwise 20. */
  trials?: number;
  /** The metric that decides. Default `val/loss`. */
  monitor?: string;
  mode?: 'min' | 'max';
  /**
   * Successive halving: every trial trains for `minEpochs`, the best one in `factor` goes on for `factor` times as many
   * epochs, and so on. Default `{ minEpochs: 1, factor: 3 }`; `false` trains every trial to the end.
   */
  halving?: { minEpochs?: number; factor?: number } | false;
  /** Of the search; training has the seed of its config. Default 0. */
  seed?: number;
  /** How many trials train at the same time, each in a process. Default 1. */
  workers?: number;
  /** The training config; found as `hookline train` finds it when absent. */
  config?: string;
  /** Where trials and results are kept. Default `sweeps/<name of the sweep's file>`. */
  dir?: string;
}

/** A sweep with nothing left open. */
export interface Sweep {
  readonly space: SearchSpace;
  readonly search: 'tpe' | 'random' | 'grid';
  readonly trials: number;
  readonly monitor: string;
  readonly mode: 'min' | 'max';
  readonly seed: number;
  /** After how many epochs trials are compared; the last number is a whole training. */
  readonly rungs: readonly number[];
  readonly factor: number;
}

const RULES: OptionRules<SweepConfig> = {
  space: is.object,
  search: is.oneOf('tpe', 'random', 'grid'),
  trials: is.integer({ min: 1 }),
  monitor: is.string,
  mode: is.oneOf('min', 'max'),
  halving: is.either(is.oneOf(false), is.object),
  seed: is.integer({ min: 0 }),
  workers: is.integer({ min: 1 }),
  config: is.string,
  dir: is.string,
};

const HALVING_RULES = { minEpochs: is.integer({ min: 1 }), factor: is.number({ min: 2 }) };

/** Types a config; what it says is checked when it is run. */
export function defineSweep(config: SweepConfig): SweepConfig {
  return config;
}

/** Checks a config as a whole. `epochs` is how long a whole training is, by the training config. */
export function sweepOf(config: SweepConfig, epochs: number): Sweep {
  checkOptions(config, RULES, 'The sweep');
  if (config.halving) checkOptions(config.halving, HALVING_RULES, 'The sweep, in "halving",');
  checkSpace(config.space ?? {});
  for (const name of ['epochs', 'fit.epochs']) {
    if (Object.hasOwn(config.space, name)) {
      throw sweepError(
        'SWEEP_SPACE',
        `"${name}" cannot be searched: trials are compared after equal numbers of epochs.`,
      );
    }
  }
  const { space, search = 'tpe', monitor = 'val/loss', seed = 0, halving = {} } = config;
  const trials = config.trials ?? (search === 'grid' ? gridSize(space) : 20);
  const { minEpochs = 1, factor = 3 } = halving || { minEpochs: epochs };
  return {
    space,
    search,
    trials: search === 'grid' ? Math.min(trials, gridSize(space)) : trials,
    monitor,
    mode: modeOf('sweep', monitor, config.mode),
    seed,
    rungs: rungsOf(minEpochs, factor, epochs),
    factor,
  };
}

function rungsOf(minEpochs: number, factor: number, epochs: number): number[] {
  const rungs: number[] = [];
  for (let rung = minEpochs; Math.round(rung) < epochs; rung *= factor) rungs.push(Math.round(rung));
  return [...rungs, epochs];
}
