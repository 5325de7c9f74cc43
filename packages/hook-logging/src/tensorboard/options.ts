import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
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

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  logDir: 'Did you mean "dir"?',
  saveDir: 'Did you mean "dir"?',
  updateFreq: 'Did you mean "every"?',
  histogramFreq: "Did you mean hooks: { 'gradient-monitor': { histogram: true } }?",
};

export const schema: OptionsSchema<TensorboardOptions> = withForeignNames(
  defineOptions<TensorboardOptions>('tensorboard', {
    ...LOG_RULES,
    dir: is.string,
  }),
  'tensorboard',
  FOREIGN,
);
