import type { Hook, Metrics, OptionsSchema } from '@hookline/hook-api';
import { type LrMonitorOptions, schema } from './options.js';
import { type Series, seriesOf, valuesOf } from './series.js';

/**
 * Logs learning rate, momentum and weight decay of every optimizer group.
 *
 * @example lrMonitor({ frequency: 'epoch' })
 */
export const lrMonitor: ((options?: LrMonitorOptions) => Hook) & { readonly options: OptionsSchema } =
  Object.assign(createHook, { options: schema });

/**
 * A constant rate in every line of a log is noise, and a rate that is logged only when it changes is a slope on a
 * chart: what does not change is repeated at this pace.
 */
const REPEAT_EVERY = 100;

function createHook(options: LrMonitorOptions = {}): Hook {
  schema.check(options);
  const byEpoch = options.frequency === 'epoch';
  /** By optimizer. */
  let series: readonly (readonly Series[])[] = [];
  /** The values that were logged last; by epoch, those of the latest step. */
  let latest: Record<string, number> = {};

  const isNews = (values: Metrics) =>
    Object.entries(values).some(([name, value]) => !Object.is(value, latest[name]));

  const hook: Hook = {
    name: 'lr-monitor',

    setup({ state }, { stage }) {
      if (stage !== 'fit') return;
      series = seriesOf(state.optimizers, options);
      latest = {};
    },

    // The last moment before the update, whose rates these are: hooks that set those of the next step do it later.
    // Unlike onStepEnd, this event reads nothing from the device.
    onBeforeOptimizerStep(ctx, { step, optimizerIndex }) {
      const values = valuesOf(series[optimizerIndex] ?? []);
      const isDue = !byEpoch && ((step + 1) % REPEAT_EVERY === 0 || isNews(values));
      Object.assign(latest, values);
      if (isDue) ctx.log(values);
    },
  };

  if (!byEpoch) return hook;
  return {
    ...hook,
    onEpochEnd(ctx) {
      if (Object.keys(latest).length > 0) ctx.log(latest);
    },
  };
}
