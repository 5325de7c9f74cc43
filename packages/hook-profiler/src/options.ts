import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';

export interface ProfilerOptions {
  /** How many steps are in `trace.json`; 0 writes none. All steps count in the totals. Default 20. */
  steps?: number;
  /** How many steps to leave out of the trace before the first one: compilers warm up in them. Default 10. */
  skip?: number;
  /** Also times each kernel of the backend. Default false: it costs a few percent of short steps. */
  kernels?: boolean;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    profiler: ProfilerOptions;
  }
}

export type ProfilerRules = Required<ProfilerOptions>;

export const schema: OptionsSchema<ProfilerOptions> = defineOptions<ProfilerOptions>('profiler', {
  steps: is.integer({ min: 0, max: 10_000 }),
  skip: is.integer({ min: 0 }),
  kernels: is.boolean,
});

export function rulesOf({ steps = 20, skip = 10, kernels = false }: ProfilerOptions): ProfilerRules {
  return { steps, skip, kernels };
}
