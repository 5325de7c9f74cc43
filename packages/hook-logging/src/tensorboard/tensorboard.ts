import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { schema, type TensorboardOptions } from './options.js';
import { TensorboardBackend } from './tensorboard-backend.js';

/**
 * Writes the run for TensorBoard: curves, histograms, the config and how the run ended.
 *
 * @example tensorboard({ every: 50, dir: 'logs/first-try' })
 */
export const tensorboard: ((options?: TensorboardOptions) => Hook) & {
  readonly options: OptionsSchema<TensorboardOptions>;
} = hookFactory(schema, (options) => {
  const { dir, every = 10 } = options;
  return logHook('tensorboard', () => new TensorboardBackend(dir), { ...options, every });
});
