import { type HookContext, type HookEvents, TrainerHook } from '@hookline/hook-api';

/** Halves the learning rate each time more than `patience` batches had a loss above `threshold`. */
export class HighLossBrake extends TrainerHook {
  readonly name = 'high-loss-brake';
  highLosses = 0;
  readonly threshold: number;
  readonly patience: number;

  constructor({ threshold = 10, patience = 10 } = {}) {
    super();
    this.threshold = threshold;
    this.patience = patience;
  }

  override onTrainBatchEnd(ctx: HookContext, { loss, skipped }: HookEvents['onTrainBatchEnd']): void {
    if (skipped || loss <= this.threshold) return;
    this.highLosses++;
    if (this.highLosses <= this.patience) return;
    this.highLosses = 0;
    ctx.logger.warn(
      `Loss ${loss.toFixed(4)}: too many batches above ${this.threshold}, learning rate halved`,
    );
    // Schedules write `lr`, hooks write `lrScale`: neither undoes the other.
    for (const { groups } of ctx.state.optimizers) for (const group of groups) group.lrScale *= 0.5;
  }
}
