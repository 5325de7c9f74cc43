import { defineOptions, is, type OptionsSchema } from '@hookline/hook-api';

export interface DashboardOptions {
  /** Default 0: a free one. */
  port?: number;
  /** Default `127.0.0.1`: only this machine. Another address opens the page, and its verbs, to anyone who has the token. */
  host?: string;
}

declare module '@hookline/hook-api' {
  interface HookOptionsByName {
    dashboard: DashboardOptions;
  }
}

export const schema: OptionsSchema<DashboardOptions> = defineOptions<DashboardOptions>('dashboard', {
  port: is.integer({ min: 0, max: 65_535 }),
  host: is.string,
});
