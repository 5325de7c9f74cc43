import type { HooklineError } from '@hookline/hook-api';
import { checkKeys } from '@hookline/hook-api/helpers';
import { dataError } from '../errors.js';
import type { SplitOptions } from './part.js';

export function checkSplitOptions(options: SplitOptions, where: string): void {
  checkKeys(options, ['seed', 'shuffle'], where);
  const { seed = 0 } = options;
  if (Number.isSafeInteger(seed)) return;
  throw dataError('BAD_OPTIONS', `${where}: seed is ${seed}, expected a whole number.`);
}

/** Only samples that can be read by number can be divided without reading them all. */
export function cannotBeSplit(name: string, words: string): HooklineError {
  return dataError(
    'BAD_DATA',
    `${name} cannot be split: its source is ${words}, so its samples cannot be read by number. Give a table { xs, ys }, or samples in an array or by number (samples: true), or separate data for validation.`,
  );
}
