import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';

export interface LrMonitorOptions {
  /** `step` (default): whenever a value changes, and every 100 steps. `epoch`: at the end of each epoch. */
  frequency?: 'step' | 'epoch';
  /** Log the momentum of groups that have one. Default true. */
  momentum?: boolean;
  /** Log the weight decay of groups that have one. Default true. */
  weightDecay?: boolean;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'lr-monitor': LrMonitorOptions;
  }
}

export const schema: OptionsSchema<LrMonitorOptions> = defineOptions<LrMonitorOptions>('lr-monitor', {
  frequency: is.oneOf('step', 'epoch'),
  momentum: is.boolean,
  weightDecay: is.boolean,
});
