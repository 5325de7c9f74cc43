import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';

export interface MyHookOptions {
  /** How much of the average stays from step to step, from 0 to 1. Default 0.9. */
  smoothing?: number;
}

// So that editors complete the options in hooks: { 'my-hook': { ... } }.
declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    'my-hook': MyHookOptions;
  }
}

export const schema: OptionsSchema<MyHookOptions> = defineOptions<MyHookOptions>('my-hook', {
  smoothing: is.number({ min: 0, max: 1 }),
});
