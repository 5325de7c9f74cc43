import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';
import type { OutputStream } from '@hookline/hook-api/helpers';
import { standardError } from '@hookline/host';

export interface ReportOptions {
  /** Where the curve and the path of the report are printed, or `false`. Default standard error. */
  print?: OutputStream | false;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    report: ReportOptions;
  }
}

export const schema: OptionsSchema<ReportOptions> = defineOptions<ReportOptions>('report', {
  print: is.either(is.object, is.oneOf(false)),
});

/** The options with their defaults. */
export type ReportRules = Required<ReportOptions>;

export function rulesOf({ print = standardError() }: ReportOptions): ReportRules {
  return { print };
}
