/** What hooks asked for through the verbs of `ctx`. The loop takes each wish when it acts on it. */
export class Wishes {
  skipBatch = false;
  skipStep = false;
  /** The hooks that left out batches of this epoch. */
  readonly skippers: Set<string> = new Set();
  validation = false;
  /** The reason that was given first. */
  checkpoint: string | undefined;

  /** Whether a hook asked for it since the last time. */
  take(wish: 'skipBatch' | 'skipStep' | 'validation'): boolean {
    const wished = this[wish];
    this[wish] = false;
    return wished;
  }

  takeCheckpoint(): string | undefined {
    const reason = this.checkpoint;
    this.checkpoint = undefined;
    return reason;
  }
}
