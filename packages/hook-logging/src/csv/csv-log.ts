import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { CsvBackend } from './csv-backend.js';
import { type CsvLogOptions, schema } from './options.js';

/**
 * Writes the numbers of a run as a table, a row for each event that has any.
 *
 * @example csvLog({ every: 10, metrics: ['*\/loss'] })
 */
export const csvLog: ((options?: CsvLogOptions) => Hook) & {
  readonly options: OptionsSchema<CsvLogOptions>;
} = hookFactory(schema, (options) => logHook('csv-log', () => new CsvBackend(options.file), options));
