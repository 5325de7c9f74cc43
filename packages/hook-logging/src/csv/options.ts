import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';

export interface CsvLogOptions extends LogOptions {
  /** Default `log.csv` in the run's folder. Rows are appended. */
  file?: string;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'csv-log': CsvLogOptions;
  }
}

export const schema: OptionsSchema<CsvLogOptions> = defineOptions<CsvLogOptions>('csv-log', {
  ...LOG_RULES,
  file: is.string,
});
