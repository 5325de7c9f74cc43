import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { JsonBackend } from './json-backend.js';
import { type JsonLogOptions, schema } from './options.js';

/**
 * Writes the run as JSON lines, one object per event, into the run's folder.
 *
 * @example jsonLog({ every: 10, file: 'logs/train.jsonl' })
 */
export const jsonLog: ((options?: JsonLogOptions) => Hook) & {
  readonly options: OptionsSchema<JsonLogOptions>;
} = hookFactory(schema, (options) => logHook('json-log', () => new JsonBackend(options), options));
