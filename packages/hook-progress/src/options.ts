import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import { type ForeignNames, withForeignNames } from '@hookline/hook-api/helpers';
import { standardError } from '@hookline/host';
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

/** What people write who know other libraries. */
const FOREIGN: ForeignNames = {
  refreshRate: 'Did you mean "refreshMs"?',
  mininterval: 'Did you mean "refreshMs"?',
  disable: 'Did you mean hooks: { progress: false }?',
  enabled: 'Did you mean hooks: { progress: false }?',
};

export const schema: OptionsSchema<ProgressOptions> = withForeignNames(
  defineOptions<ProgressOptions>('progress', {
    stream: is.object,
    refreshMs: is.number({ min: 0 }),
  }),
  'progress',
  FOREIGN,
);

/** The options with their defaults. */
export type ProgressRules = Required<ProgressOptions>;

export function rulesOf({ stream = standardError(), refreshMs = 100 }: ProgressOptions): ProgressRules {
  return { stream, refreshMs };
}
