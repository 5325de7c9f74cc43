import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';

export interface DebugOptions {
  /**
   * What to do about NaN and infinity. `stop` (default): leave the update out, so that the weights stay good, and end
   * the run. `break`: the same, after pausing in the debugger that is attached. `warn`: say it and go on.
   */
  nan?: 'stop' | 'warn' | 'break';
  /** Check every that many optimizer steps. Default 1: only then nothing bad ever reaches the weights. */
  every?: number;
  /** Look at the output of every layer too. Default false: layers are looked at when something went wrong. */
  activations?: boolean;
  /** Log shape and dtype of what is in the first batch of each loader (`true`) or in every batch that is checked. Default false. */
  shapes?: boolean | 'every';
  /** Keep weights, batch and random state of the failing step in the run's folder. Default true. */
  bundle?: boolean;
}

export type DebugRules = Required<DebugOptions>;

export const schema: OptionsSchema = defineOptions<DebugOptions>('debug', {
  nan: is.oneOf('stop', 'warn', 'break'),
  every: is.integer({ min: 1 }),
  activations: is.boolean,
  shapes: is.oneOf(true, false, 'every'),
  bundle: is.boolean,
});

export function rulesOf(options: DebugOptions): DebugRules {
  schema.check(options);
  return {
    nan: options.nan ?? 'stop',
    every: options.every ?? 1,
    activations: options.activations ?? false,
    shapes: options.shapes ?? false,
    bundle: options.bundle ?? true,
  };
}
