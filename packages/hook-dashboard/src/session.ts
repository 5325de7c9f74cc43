import type { HookContext } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { controlsOf } from './controls.js';
import type { DashboardOptions } from './options.js';
import { type Dashboard, openDashboard } from './server/open-dashboard.js';
import { announce } from './server/remote-controls.js';

/** The page of one run, from its setup to its teardown. */
export class DashboardSession {
  #page: Dashboard | undefined;
  #withdraw: (() => Promise<void>) | undefined;

  constructor(private readonly options: DashboardOptions) {}

  async open(ctx: HookContext): Promise<void> {
    const { runsDir, dir, id } = ctx.run;
    if (dir === undefined) return;
    try {
      this.#page = await openDashboard(runsDir, { ...this.options, run: id, controls: controlsOf(ctx) });
      // For the pages of other processes; without it, they only show the run.
      if (this.#page.address) this.#withdraw = await announce(dir, this.#page.address);
      ctx.logger.info(`The run is shown at ${this.#page.url}`);
    } catch (error) {
      // A port that is taken must not cost the run.
      ctx.logger.warn(`The dashboard cannot be opened: ${messageOf(error)}. The run continues without it.`);
    }
  }

  async close(): Promise<void> {
    await this.#withdraw?.();
    await this.#page?.close();
    this.#page = this.#withdraw = undefined;
  }
}
