import type { HookContext } from '@hookline/hook-api';
import { type Findings, NO_FINDINGS, report } from './report.js';
import type { TapManager } from './taps/tap-manager.js';
import type { TrainingWindow } from './taps/training-window.js';

/** One run, of any stage, with the taps on its model. */
export class ActivationsSession {
  /** What was reported and has not ended. */
  #reported: Findings = NO_FINDINGS;

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

  /** Reads the device once for everything that was measured in the batch. */
  async backwardDone(): Promise<void> {
    this.window.closeObservers();
    await this.taps.settle();
    this.#reported = report(this.ctx, this.taps, this.#reported);
  }

  async close(): Promise<void> {
    this.window.close();
    this.taps.detach();
    await this.taps.settle();
  }
}
