import type { Batch } from '@hookline/hook-api';
import { stoppedError } from '../errors.js';
import type { Run } from '../run/run.js';
import { closeRun, failRun, openRun } from '../run/run-stage.js';
import { endTraining, flushStep } from './fit.js';
import { loadRanks } from './load-ranks.js';
import type { FitPlan } from './plan.js';
import { type LossAndMetrics, trainBatch } from './train-batch.js';

/** A run that is driven from outside, one batch at a time. */
export class StepSession {
  private constructor(
    readonly run: Run,
    private readonly plan: FitPlan,
    private readonly onClose: (error?: unknown) => Promise<void>,
  ) {}

  static async open(
    run: Run,
    plan: FitPlan,
    onClose: (error?: unknown) => Promise<void>,
  ): Promise<StepSession> {
    const session = new StepSession(run, plan, onClose);
    await session.#guard(async () => {
      await openRun(run);
      if (run.world) await (await loadRanks()).startAlike(run, run.world, plan);
      await run.fire('onInit', () => ({ stage: 'fit' }));
      run.state.status = 'training';
      run.cursor.begin(plan.objective);
      run.cursor.progress.accumulate = plan.accumulate(0);
      await run.fire('onTrainStart', () => ({ epochs: 1, batchesPerEpoch: undefined }));
    });
    return session;
  }

  async step(batch: Batch): Promise<LossAndMetrics | undefined> {
    const { run } = this;
    if (run.ending.stopped)
      throw stoppedError(
        'trainingStep()',
        run.ending.stopReason,
        'Look at trainer.stopReason in your loop, and end it with close().',
      );
    const batchIndex = run.cursor.place.batchesDone;
    const item = { batch, batchIndex, loaderIndex: 0, loaderName: 'train', owned: false };
    const numbers = await this.#guard(() => trainBatch(run, this.plan, item));
    run.phase('data'); // until the caller has the next batch
    return numbers;
  }

  async close(): Promise<void> {
    const { run } = this;
    await this.#guard(async () => {
      if (!run.ending.stopped) await flushStep(run, this.plan);
      await endTraining(run);
    });
    await this.#end(undefined);
  }

  /** A failure ends the session as it ends a fit. */
  async #guard<Result>(body: () => Promise<Result>): Promise<Result> {
    try {
      return await body();
    } catch (thrown) {
      const error = await failRun(this.run, thrown);
      await this.#end(error);
      throw error;
    }
  }

  async #end(error: unknown): Promise<void> {
    let last = error;
    try {
      await closeRun(this.run, error !== undefined);
    } catch (failure) {
      last = failure;
      throw failure;
    } finally {
      await this.onClose(last);
    }
  }
}
