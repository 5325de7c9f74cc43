import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { writeOutput } from '@hookline/hook-api/helpers';
import { standardOutput } from '@hookline/host';
import { logHook } from '../session/log-hook.js';
import { ConsoleBackend, type Print } from './console-backend.js';
import { type ConsoleLogOptions, schema } from './options.js';

/**
 * Prints the run as lines a person reads.
 *
 * @example consoleLog({ every: 50, metrics: ['train/loss', 'val/*'] })
 */
export const consoleLog: ((options?: ConsoleLogOptions) => Hook) & {
  readonly options: OptionsSchema<ConsoleLogOptions>;
} = hookFactory(schema, (options) => {
  const { every = 10, metrics, write = toStandardOutput } = options;
  // On one terminal with a bar, which shows each batch. A file, or a rate that was asked for, gets its lines.
  const yieldsToBar =
    options.every === undefined && options.write === undefined && standardOutput().isTTY === true;
  return logHook('console-log', () => new ConsoleBackend(write, metrics !== undefined, yieldsToBar), {
    ...options,
    every,
    writes: false,
  });
});

const toStandardOutput: Print = (text, onFailure) => writeOutput(standardOutput(), text, onFailure);
