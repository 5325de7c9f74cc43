import type { HookLogger } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { startThread } from '#host';
import { free } from './free.js';
import { memoryOf, type SaveJob } from './save-job.js';
import type { SaveOutcome } from './save-outcome.js';
import type { SaveThread } from './save-thread.js';
import { writeCheckpoint } from './write-checkpoint.js';

/** Starting a thread takes about 40 ms of the processor: as long as it takes to hash and hand over so many bytes. */
const WORTH_A_THREAD = 16 * 2 ** 20;
/** What a save takes beside its bytes, in bytes: its files are opened, flushed and renamed. */
const EACH_SAVE = 2 ** 20;

/** Writes checkpoints, on another thread if that is wanted and possible. */
export class CheckpointWriter {
  #thread: Promise<SaveThread | undefined> | undefined;
  /** What this run has saved and is about to save, in bytes: a short run of small checkpoints needs no thread. */
  #work = 0;

  constructor(
    private readonly isAsync: boolean,
    private readonly logger: HookLogger,
    private readonly start: () => Promise<SaveThread | undefined> = startThread,
  ) {}

  /** The arrays of the job are transferred: the caller cannot use them any more. */
  async write(job: SaveJob): Promise<SaveOutcome> {
    const thread = await this.#threadFor(job);
    if (!thread) return writeCheckpoint(job).finally(() => free(memoryOf(job)));
    try {
      return await thread.write(job);
    } catch (error) {
      // The next save starts another one.
      this.#thread = undefined;
      return {
        ok: false,
        failure: { kind: 'disk', message: `the thread that writes checkpoints died: ${messageOf(error)}` },
      };
    }
  }

  async close(): Promise<void> {
    const thread = await this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }

  #threadFor(job: SaveJob): Promise<SaveThread | undefined> | undefined {
    this.#work += memoryOf(job).reduce((sum, { byteLength }) => sum + byteLength, EACH_SAVE);
    if (this.isAsync && this.#work >= WORTH_A_THREAD) this.#thread ??= this.#start();
    return this.#thread;
  }

  async #start(): Promise<SaveThread | undefined> {
    try {
      return await this.start();
    } catch (error) {
      this.logger.warn(
        `The thread that writes checkpoints could not be started: ${messageOf(error)}. They are written on the main ` +
          'thread, and training waits for them.',
      );
      return undefined;
    }
  }
}
