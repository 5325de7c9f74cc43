import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { HookLogger } from '@hookline/hook-api';
import { messageOf } from '@hookline/hook-api/helpers';
import { memoryOf, type SaveJob } from './save-job.js';
import type { SaveOutcome } from './save-outcome.js';
import { writeCheckpoint } from './write-checkpoint.js';

/** Beside this file, in the sources as in what is published. */
const THREAD = new URL(`./save-thread${extname(import.meta.url)}`, import.meta.url);

/** Starting a thread takes about 30 ms of the processor: a run that saves less than this, and once, needs none. */
const WORTH_A_THREAD = 16 * 2 ** 20;

/**
 * Writes checkpoints, on another thread if that is wanted and possible. The thread keeps the process alive only while
 * it writes.
 */
export class CheckpointWriter {
  #thread: Promise<Worker | undefined> | undefined;
  #hasWritten = false;

  constructor(
    private readonly isAsync: boolean,
    private readonly logger: HookLogger,
  ) {}

  /** The arrays of the job are transferred: the caller cannot use them any more. */
  async write(job: SaveJob): Promise<SaveOutcome> {
    const thread = await this.#threadFor(job);
    if (!thread) return writeCheckpoint(job);
    thread.ref();
    try {
      thread.postMessage(job, memoryOf(job));
      return (await answerOf(thread)) as SaveOutcome;
    } catch (error) {
      // The next save starts another one.
      this.#thread = undefined;
      return {
        ok: false,
        failure: { kind: 'disk', message: `the thread that writes checkpoints died: ${messageOf(error)}` },
      };
    } finally {
      thread.unref();
    }
  }

  async close(): Promise<void> {
    const thread = await this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }

  #threadFor(job: SaveJob): Promise<Worker | undefined> | undefined {
    const bytes = memoryOf(job).reduce((sum, { byteLength }) => sum + byteLength, 0);
    const isWorthIt = this.#hasWritten || bytes >= WORTH_A_THREAD;
    this.#hasWritten = true;
    if (this.isAsync && isWorthIt) this.#thread ??= this.#start();
    return this.#thread;
  }

  async #start(): Promise<Worker | undefined> {
    try {
      const thread = new Worker(THREAD);
      await answerOf(thread);
      thread.unref();
      return thread;
    } catch (error) {
      this.logger.warn(
        `The thread that writes checkpoints could not be started: ${messageOf(error)}. They are written on the main ` +
          'thread, and training waits for them.',
      );
      return undefined;
    }
  }
}

async function answerOf(thread: Worker): Promise<unknown> {
  const answered = new AbortController();
  const { signal } = answered;
  const died = async () => {
    const [code] = await once(thread, 'exit', { signal });
    throw new Error(`it exited with code ${code}`);
  };
  try {
    const [answer] = (await Promise.race([once(thread, 'message', { signal }), died()])) as unknown[];
    return answer;
  } finally {
    answered.abort();
  }
}
