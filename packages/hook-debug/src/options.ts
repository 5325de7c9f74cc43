import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';

export interface DebugOptions {
  /**
   * What to do about NaN and infinity. `stop` (default): skip the update, so that the weights stay good, and end the
   * run. `break`: the same, after pausing in the attached debugger. `warn`: report it and continue.
   */
  nan?: 'stop' | 'warn' | 'break';
  /** Check every n-th optimizer step. Default 1: only then does nothing bad ever reach the weights. */
  every?: number;
  /** Also check the output of every layer. Default false: layers are examined only when something went wrong. */
  activations?: boolean;
  /** Log shapes and dtypes of the first batch of each loader (`true`), or of every batch that is checked. Default false. */
  shapes?: boolean | 'every';
  /** Keep weights, batch and random state of the failing step in the run's folder. Default true. */
  bundle?: boolean;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    debug: DebugOptions;
  }
}

export type DebugRules = Required<DebugOptions>;

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  detectAnomaly: "Did you mean nan: 'stop'?",
  terminateOnNan: "Did you mean nan: 'stop'?",
};

export const schema: OptionsSchema<DebugOptions> = withForeignNames(
  defineOptions<DebugOptions>('debug', {
    nan: is.oneOf('stop', 'warn', 'break'),
    every: is.integer({ min: 1 }),
    activations: is.boolean,
    shapes: is.oneOf(true, false, 'every'),
    bundle: is.boolean,
  }),
  'debug',
  FOREIGN,
);

export function rulesOf(options: DebugOptions): DebugRules {
  return {
    nan: options.nan ?? 'stop',
    every: options.every ?? 1,
    activations: options.activations ?? false,
    shapes: options.shapes ?? false,
    bundle: options.bundle ?? true,
  };
}
