import { didYouMean } from '@hookline/hook-api';
import { checkKeys } from '@hookline/hook-api/helpers';
import { trainerError } from '../errors.js';
import type { Collective } from './collective.js';

/** In how many processes a run trains, and how they talk. */
export interface Strategy {
  readonly name: string;
  readonly collective: Collective;
}

/** Trains in several processes: those of a launcher such as mpirun, or `processes` that it starts itself. */
export interface AccelerateOptions {
  name: 'accelerate';
  /** How many processes on this machine, this one included; each runs the same script. */
  processes?: number;
  /** How many seconds a rank may keep the others waiting before the run fails; 300 when absent. */
  timeout?: number;
}

/** `simple` trains in this process, `accelerate` in several. */
export type StrategyOption = 'simple' | 'accelerate' | AccelerateOptions | Strategy;

/** Throws when the option is neither a name nor a strategy. */
export function checkStrategy(option: StrategyOption = 'simple'): void {
  if (option === 'simple' || option === 'accelerate') return;
  const { name, collective } = Object(option) as Partial<Strategy>;
  if (typeof collective?.sum === 'function') return;
  if (typeof option === 'object' && name === 'accelerate') {
    checkAccelerate(option as AccelerateOptions);
    return;
  }
  const [place, given] = typeof name === 'string' ? ['strategy: name', name] : ['strategy', option];
  const shown = typeof given === 'string' ? `"${given}"` : typeof given;
  throw trainerError(
    'BAD_OPTIONS',
    `new Trainer(): ${place} is ${shown}.${didYouMean(String(given), ['simple', 'accelerate'])} Expected "simple", "accelerate", { name: "accelerate", processes: 4 } or an object with a collective.`,
  );
}

function checkAccelerate(options: AccelerateOptions): void {
  checkKeys(options, ['name', 'processes', 'timeout'], 'strategy');
  const { processes = 1, timeout = 1 } = options;
  if (!Number.isInteger(processes) || processes < 1) {
    throw trainerError(
      'BAD_OPTIONS',
      `strategy: processes is ${processes}, expected a whole number above 0.`,
    );
  }
  if (!(timeout > 0)) {
    throw trainerError(
      'BAD_OPTIONS',
      `strategy: timeout is ${timeout}, expected a number of seconds above 0.`,
    );
  }
}
