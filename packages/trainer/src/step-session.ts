import type { Batch } from '@hookline/hook-api';
import {
  disposeLoop,
  endTraining,
  type FitPlan,
  flushStep,
  type Loop,
  type LossAndMetrics,
  startLoop,
  trainBatch,
} from './fit.js';
import type { Run } from './run.js';
import { closeRun, failRun, openRun } from './run-stage.js';

/** A run that is driven from outside, one batch at a time. */
export class StepSession {
  readonly #loop: Loop;
  #batches = 0;

  private constructor(
    readonly run: Run,
    private readonly plan: FitPlan,
    private readonly onClose: (error?: unknown) => void,
  ) {
    this.#loop = startLoop(plan);
  }

  static async open(run: Run, plan: FitPlan, onClose: (error?: unknown) => void): Promise<StepSession> {
    const session = new StepSession(run, plan, onClose);
    await session.#guard(async () => {
      await openRun(run);
      await run.fire('onInit', () => ({ stage: 'fit' }));
      run.state.status = 'training';
      await run.fire('onTrainStart', () => ({ epochs: 1, batchesPerEpoch: undefined }));
    });
    return session;
  }

  step(batch: Batch): Promise<LossAndMetrics | undefined> {
    const item = { batch, batchIndex: this.#batches++, loaderIndex: 0, loaderName: 'train', owned: false };
    return this.#guard(() => trainBatch(this.run, this.plan, this.#loop, item));
  }

  async close(): Promise<void> {
    const { run } = this;
    await this.#guard(async () => {
      await flushStep(run, this.plan, this.#loop);
      run.state.status = run.stopped ? 'stopped' : 'completed';
      await endTraining(run);
    });
    await this.#end(undefined);
  }

  /** A failure ends the session as it ends a fit. */
  async #guard<Result>(body: () => Promise<Result>): Promise<Result> {
    try {
      return await body();
    } catch (error) {
      await failRun(this.run, error);
      await this.#end(error);
      throw error;
    }
  }

  async #end(error: unknown): Promise<void> {
    disposeLoop(this.#loop);
    let last = error;
    try {
      await closeRun(this.run, error !== undefined);
    } catch (failure) {
      last = failure;
      throw failure;
    } finally {
      this.onClose(last);
    }
  }
}
