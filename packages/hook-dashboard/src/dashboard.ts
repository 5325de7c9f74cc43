import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { controlsOf } from './controls.js';
import { type DashboardOptions, schema } from './options.js';
import { type Dashboard, openDashboard } from './server/open-dashboard.js';
import { announce } from './server/remote-controls.js';

/**
 * Shows the run on a live page on this machine while it trains, with verbs to act on it.
 *
 * @example dashboard({ port: 8080 })
 */
export const dashboard: ((options?: DashboardOptions) => Hook) & {
  readonly options: OptionsSchema<DashboardOptions>;
} = hookFactory(schema, createHook);

function createHook(options: DashboardOptions): Hook {
  let open: Dashboard | undefined;
  let withdraw: (() => Promise<void>) | undefined;
  return {
    name: 'dashboard',
    writes: true,

    async setup(ctx) {
      const { stage } = ctx.state;
      if (stage !== 'fit' || ctx.run.dir === undefined) return;
      try {
        open = await openDashboard(ctx.run.runsDir, {
          ...options,
          run: ctx.run.id,
          controls: controlsOf(ctx),
        });
        // For the pages of other processes; without it, they only show the run.
        if (open.address) withdraw = await announce(ctx.run.dir, open.address);
        ctx.logger.info(`The run is shown at ${open.url}`);
      } catch (error) {
        // A port that is taken must not cost the run.
        ctx.logger.warn(`The dashboard cannot be opened: ${messageOf(error)}. The run continues without it.`);
      }
    },
    async teardown() {
      await withdraw?.();
      await open?.close();
      open = withdraw = undefined;
    },
  };
}
