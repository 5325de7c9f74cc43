import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import { LOG_RULES, type LogOptions } from '../session/log-options.js';

export interface MlflowOptions extends LogOptions {
  /** Of the tracking server. Default what MLFLOW_TRACKING_URI says. */
  uri?: string;
  /** By name; made when there is none. Default what MLFLOW_EXPERIMENT_NAME or MLFLOW_EXPERIMENT_ID says, or `Default`. */
  experiment?: string;
  /** How long a request may take, and the end of a run may wait. Default 10000. */
  timeoutMs?: number;
  /** Further attempts after one that failed. Default 3. */
  retries?: number;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    mlflow: MlflowOptions;
  }
}

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  trackingUri: 'Did you mean "uri"?',
  url: 'Did you mean "uri"?',
  experimentName: 'Did you mean "experiment"?',
  timeout: 'Did you mean "timeoutMs"?',
};

export const schema: OptionsSchema<MlflowOptions> = withForeignNames(
  defineOptions<MlflowOptions>('mlflow', {
    ...LOG_RULES,
    uri: is.string,
    experiment: is.string,
    timeoutMs: is.number({ min: 1 }),
    retries: is.integer({ min: 0 }),
  }),
  'mlflow',
  FOREIGN,
);
