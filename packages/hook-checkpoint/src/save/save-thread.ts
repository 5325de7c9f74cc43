import type { SaveJob } from './save-job.js';
import type { SaveOutcome } from './save-outcome.js';

/** Another thread that writes checkpoints. */
export interface SaveThread {
  /** The arrays of the job are transferred: the caller cannot use them any more. Rejects when the thread has died. */
  write(job: SaveJob): Promise<SaveOutcome>;
  end(): Promise<void>;
}
