import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';

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

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  loggingInterval: 'Did you mean "frequency"?',
  logMomentum: 'Did you mean "momentum"?',
  logWeightDecay: 'Did you mean "weightDecay"?',
};

export const schema: OptionsSchema<LrMonitorOptions> = withForeignNames(
  defineOptions<LrMonitorOptions>('lr-monitor', {
    frequency: is.oneOf('step', 'epoch'),
    momentum: is.boolean,
    weightDecay: is.boolean,
  }),
  'lr-monitor',
  FOREIGN,
);
