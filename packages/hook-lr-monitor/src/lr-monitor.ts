import { type Hook, hookFactory, type OptionsSchema } from '@hookline/hook-api';
import { type LrMonitorOptions, schema } from './options.js';
import { LrSession } from './session.js';

/**
 * Logs learning rate, momentum and weight decay of every optimizer group.
 *
 * @example lrMonitor({ frequency: 'epoch' })
 */
export const lrMonitor: ((options?: LrMonitorOptions) => Hook) & {
  readonly options: OptionsSchema<LrMonitorOptions>;
} = hookFactory(schema, (options) => {
  const byEpoch = options.frequency === 'epoch';
  let session = new LrSession([], options);

  const hook: Hook = {
    name: 'lr-monitor',
    ranks: 'main',

    setup({ state }, { stage }) {
      if (stage === 'fit') session = new LrSession(state.optimizers, options);
    },

    // The last moment before the update, whose rates these are: hooks that set those of the next step do it later.
    // Unlike onStepEnd, this event reads nothing from the device.
    onBeforeOptimizerStep(ctx, { step, optimizerIndex }) {
      const values = session.beforeStep(step, optimizerIndex);
      if (values && !byEpoch) ctx.log(values);
    },
  };

  if (!byEpoch) return hook;
  return {
    ...hook,
    onEpochEnd(ctx) {
      if (session.hasValues) ctx.log(session.latest);
    },
  };
});
