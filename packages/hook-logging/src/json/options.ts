import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
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

export const schema: OptionsSchema<JsonLogOptions> = defineOptions<JsonLogOptions>('json-log', {
  ...LOG_RULES,
  file: is.string,
  level: is.oneOf('info', 'warn', 'error'),
});
