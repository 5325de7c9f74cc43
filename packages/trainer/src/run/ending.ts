/** Whether a run is to end, and why: what was asked for first counts. */
export class Ending {
  readonly #abort = new AbortController();
  #stopReason: string | undefined;
  #failure: string | undefined;
  #isFinished = false;

  /** Aborted as soon as the run is to end. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get stopped(): boolean {
    return this.#stopReason !== undefined;
  }

  get stopReason(): string | undefined {
    return this.#stopReason;
  }

  /** Whether the run was stopped before it reached its limit. */
  get isBrokenOff(): boolean {
    return this.stopped && !this.#isFinished;
  }

  /** Why the run counts as failed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** The first reason is kept. */
  stop(reason: string): void {
    this.#stopReason ??= reason;
    this.#abort.abort(reason);
  }

  /** Stops because the run has reached its limit: what is due at this point is done before it ends. */
  finish(reason: string): void {
    this.#isFinished ||= !this.stopped;
    this.stop(reason);
  }

  /** The run counts as failed, though it ends like any other; the first reason is kept. */
  markFailed(reason: string): void {
    this.#failure ??= reason;
  }

  /** The run has failed: whatever waits on the signal need not wait any longer. */
  abort(error: unknown): void {
    this.#abort.abort(error);
  }
}
