import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
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

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  filename: 'Did you mean "file"?',
  path: 'Did you mean "file"?',
  append: 'A run that is resumed continues its file: leave it out.',
};

export const schema: OptionsSchema<CsvLogOptions> = withForeignNames(
  defineOptions<CsvLogOptions>('csv-log', {
    ...LOG_RULES,
    file: is.string,
  }),
  'csv-log',
  FOREIGN,
);
