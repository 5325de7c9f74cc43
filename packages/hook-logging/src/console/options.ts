import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';

export interface ConsoleLogOptions extends LogOptions {
  /** Where lines go. Default standard output. */
  write?: (text: string) => void;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'console-log': ConsoleLogOptions;
  }
}

export const schema: OptionsSchema<ConsoleLogOptions> = defineOptions<ConsoleLogOptions>('console-log', {
  ...LOG_RULES,
  write: is.function,
});
