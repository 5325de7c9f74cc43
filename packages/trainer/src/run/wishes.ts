/** What hooks asked for through the verbs of `ctx`. The loop takes each wish when it acts on it. */
export class Wishes {
  skipBatch = false;
  skipStep = false;
  /** The hooks that left out batches of this epoch. */
  readonly skippers: Set<string> = new Set();
  validation = false;
  /** Every reason for a checkpoint, once, in the order in which they were given. */
  readonly checkpoints: Set<string> = new Set();

  /** Whether a hook asked for it since the last time. */
  take(wish: 'skipBatch' | 'skipStep' | 'validation'): boolean {
    const wished = this[wish];
    this[wish] = false;
    return wished;
  }

  takeCheckpoints(): string[] {
    const reasons = [...this.checkpoints];
    this.checkpoints.clear();
    return reasons;
  }
}
