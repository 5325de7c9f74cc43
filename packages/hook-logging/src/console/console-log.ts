import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { writeOutput } from '@hookline/hook-api/helpers';
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
  return logHook('console-log', () => new ConsoleBackend(write, metrics !== undefined), {
    ...options,
    every,
    writes: false,
  });
});

const toStandardOutput: Print = (text, onFailure) => writeOutput(process.stdout, text, onFailure);
