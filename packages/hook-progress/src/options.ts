import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import type { ProgressStream } from './display/terminal.js';

export interface ProgressOptions {
  /** Where to show it. Default standard error, so that redirected output stays clean. */
  stream?: ProgressStream;
  /** Milliseconds between two drawings of the bar. Default 100. */
  refreshMs?: number;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    progress: ProgressOptions;
  }
}

export const schema: OptionsSchema<ProgressOptions> = defineOptions<ProgressOptions>('progress', {
  stream: is.object,
  refreshMs: is.number({ min: 0 }),
});

/** The options with their defaults. */
export type ProgressRules = Required<ProgressOptions>;

export function rulesOf({ stream = process.stderr, refreshMs = 100 }: ProgressOptions): ProgressRules {
  return { stream, refreshMs };
}
