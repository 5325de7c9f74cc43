import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';

export interface TensorboardOptions extends LogOptions {
  /** Default `tensorboard` in the run's folder. */
  dir?: string;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    tensorboard: TensorboardOptions;
  }
}

export const schema: OptionsSchema<TensorboardOptions> = defineOptions<TensorboardOptions>('tensorboard', {
  ...LOG_RULES,
  dir: is.string,
});
