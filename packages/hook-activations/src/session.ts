import type { HookContext } from '@hookline/hook-api';
import { logMetrics } from './log-metrics.js';
import type { TapManager } from './taps/tap-manager.js';
import type { TrainingWindow } from './taps/training-window.js';
import { TroubleReport } from './trouble-report.js';

/** One run, of any stage, with the taps on its model. */
export class ActivationsSession {
  readonly #trouble = new TroubleReport();

  constructor(
    private readonly ctx: HookContext,
    private readonly taps: TapManager,
    private readonly window: TrainingWindow,
  ) {
    taps.clearRecords();
    taps.attach(ctx.state.model);
    for (const { id, kind, paths } of taps.listHooks()) {
      if (kind !== 'intervention') continue;
      ctx.logger.info({ id, paths }, `Intervention "${id}" changes what the model computes.`);
    }
  }

  async backwardDone(): Promise<void> {
    await this.batchDone();
    logMetrics(this.ctx, this.taps);
  }

  /** Reads the device once for everything that was measured in the batch. */
  async batchDone(): Promise<void> {
    this.window.closeObservers();
    await this.taps.settle();
    this.#trouble.warn(this.ctx, this.taps);
  }

  async close(): Promise<void> {
    this.window.close();
    this.taps.detach();
    await this.taps.settle();
  }
}
