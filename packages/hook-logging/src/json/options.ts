import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';

export interface JsonLogOptions extends LogOptions {
  /** Default `log.jsonl` in the run's folder. Lines are appended. */
  file?: string;
  /** The lowest level to write: `info` (default) everything, `warn` warnings, non-finite numbers and signals, `error` failures. */
  level?: 'info' | 'warn' | 'error';
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'json-log': JsonLogOptions;
  }
}

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  filename: 'Did you mean "file"?',
  path: 'Did you mean "file"?',
};

export const schema: OptionsSchema<JsonLogOptions> = withForeignNames(
  defineOptions<JsonLogOptions>('json-log', {
    ...LOG_RULES,
    file: is.string,
    level: is.oneOf('info', 'warn', 'error'),
  }),
  'json-log',
  FOREIGN,
);
