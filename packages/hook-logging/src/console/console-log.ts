import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { ConsoleBackend } from './console-backend.js';
import { type ConsoleLogOptions, schema } from './options.js';

/**
 * Prints the run as lines a person reads.
 *
 * @example consoleLog({ every: 50, metrics: ['train/loss', 'val/*'] })
 */
export const consoleLog: ((options?: ConsoleLogOptions) => Hook) & {
  readonly options: OptionsSchema<ConsoleLogOptions>;
} = hookFactory(schema, (options) => {
  const { every = 10, metrics, write = (text: string) => void process.stdout.write(text) } = options;
  return logHook('console-log', () => new ConsoleBackend(write, metrics !== undefined), {
    ...options,
    every,
    writes: false,
  });
});
