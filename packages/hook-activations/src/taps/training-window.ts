import type { HookContext, TrainingState } from '@hookline/hook-api';
import type { ManagerHost } from './manager-host.js';

/**
 * When the taps of a run act: in the batches for which they were opened, and not in other passes of the model, such as
 * those of hooks that look for the source of a NaN.
 */
export class TrainingWindow implements ManagerHost {
  /** The state of the run, which goes on, and where it was when the window was opened. */
  #state: TrainingState | undefined;
  #batch: Pick<TrainingState, 'status' | 'epoch' | 'batchIndex'> | undefined;
  #observes = false;
  #random = Math.random;
  #failure: { error: unknown } | undefined;

  /** For the batch that is about to begin. The window closes by itself with the next batch. */
  open({ state }: HookContext, observes: boolean): void {
    this.#state = state;
    const { status, epoch, batchIndex } = state;
    this.#batch = { status, epoch, batchIndex };
    this.#observes = observes;
    // The one of the program. Inside the pass it is the one of the run, and hooks must not draw from that.
    this.#random = Math.random;
  }

  /** Observers are done with this batch; interventions stay. Throws what went wrong in them. */
  closeObservers(): void {
    this.#observes = false;
    const failed = this.#failure;
    this.#failure = undefined;
    if (failed) throw failed.error;
  }

  close(): void {
    this.#batch = undefined;
    this.#state = undefined;
    this.#failure = undefined;
  }

  isOpen(kind: 'observe' | 'intervene'): boolean {
    if (kind === 'observe' && !this.#observes) return false;
    const [now, then] = [this.#state, this.#batch];
    return (
      now !== undefined &&
      now.batchIndex === then?.batchIndex &&
      now.epoch === then.epoch &&
      now.status === then.status
    );
  }

  step(): number | undefined {
    return this.#state?.step;
  }

  run<Result>(work: () => Result): Result {
    const before = Math.random;
    Math.random = this.#random;
    try {
      return work();
    } finally {
      Math.random = before;
    }
  }

  /** Inside the pass an error would end the run; that of an observer is thrown later, where it disables only the hook. */
  onFailure(error: unknown): void {
    this.#failure ??= { error };
  }
}
