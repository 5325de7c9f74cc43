/** Whether a run is to end, and why: what was asked for first counts. */
export class Ending {
  readonly #abort = new AbortController();
  #stopReason: string | undefined;
  #failure: string | undefined;
  #isFinished = false;
  /** Where several ranks train together, a stop is a wish until all of them know of it. */
  #isAgreed = true;
  #wish: string | undefined;

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

  /** From here on `stop` is a wish: ranks that stopped at different batches would wait for each other for ever. */
  byAgreement(): void {
    this.#isAgreed = false;
  }

  /** What this rank wants to stop for, and the others do not know of yet. */
  get wish(): string | undefined {
    return this.stopped ? undefined : this.#wish;
  }

  /** The first reason is kept. */
  stop(reason: string): void {
    if (this.#isAgreed) this.stopNow(reason);
    else this.#wish ??= reason;
  }

  /** For what every rank knows. */
  stopNow(reason: string): void {
    this.#stopReason ??= reason;
    this.#abort.abort(reason);
  }

  /** Stops because the run has reached its limit: what is due at this point is done before it ends. */
  finish(reason: string): void {
    this.#isFinished ||= !this.stopped;
    this.stopNow(reason);
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
