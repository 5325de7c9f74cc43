import type { Hook, HookContext } from '@hookline/hook-api';

const REASON = 'the sweep compares it now';

/**
 * Stops after this many epochs of the run. The training plans for all of its epochs, so that schedules are the same as in
 * one that is never stopped, and continues from its checkpoint when the sweep promotes it.
 */
export class RungHook implements Hook {
  readonly name = 'sweep-rung';
  steps = 0;

  constructor(private readonly epochs: number) {}

  /** Where the last process has reached the rung, and could not say so, nothing is left to do. */
  onTrainStart(ctx: HookContext): void {
    this.steps = ctx.state.step;
    if (ctx.state.epoch >= this.epochs) ctx.stop(REASON);
  }

  onEpochEnd(ctx: HookContext): void {
    this.steps = ctx.state.step;
    if (ctx.state.epoch + 1 >= this.epochs) ctx.stop(REASON);
  }

  /** Whether it was this hook that stopped the run. */
  static stopped(reason: string | undefined): boolean {
    return reason === REASON;
  }
}
