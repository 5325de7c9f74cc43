import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { type LatestRun, MlflowBackend } from './mlflow-backend.js';
import { type MlflowOptions, schema } from './options.js';

/**
 * Logs the run to an MLflow tracking server.
 *
 * @example mlflow({ uri: 'http://localhost:5000', experiment: 'digits' })
 */
export const mlflow: ((options?: MlflowOptions) => Hook) & {
  readonly options: OptionsSchema<MlflowOptions>;
} = hookFactory(schema, (options) => {
  const latest: LatestRun = { here: undefined, there: undefined };
  return logHook('mlflow', () => new MlflowBackend(options, latest), {
    ...options,
    every: options.every ?? 10,
  });
});
