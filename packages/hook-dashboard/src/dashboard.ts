import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { type DashboardOptions, schema } from './options.js';
import { DashboardSession } from './session.js';

/**
 * Shows the run on a live page on this machine while it trains, with verbs to act on it.
 *
 * @example dashboard({ port: 8080 })
 */
export const dashboard: ((options?: DashboardOptions) => Hook) & {
  readonly options: OptionsSchema<DashboardOptions>;
} = hookFactory(schema, createHook);

function createHook(options: DashboardOptions): Hook {
  const session = new DashboardSession(options);
  return {
    name: 'dashboard',
    writes: true,

    async setup(ctx, { stage }) {
      if (stage === 'fit') await session.open(ctx);
    },
    async teardown() {
      await session.close();
    },
  };
}
