import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { logHook } from '../session/log-hook.js';
import { schema, type WandbOptions } from './options.js';
import { WandbBackend } from './wandb-backend.js';

/**
 * Logs the run to Weights & Biases.
 *
 * @example wandb({ project: 'digits', init: { tags: ['baseline'] } })
 */
export const wandb: ((options?: WandbOptions) => Hook) & { readonly options: OptionsSchema<WandbOptions> } =
  hookFactory(schema, (options) =>
    logHook('wandb', () => new WandbBackend(options), { ...options, every: options.every ?? 10 }),
  );
