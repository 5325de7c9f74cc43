import type { Batch, HookLogger } from '@hookline/hook-api';
import * as tf from '@tensorflow/tfjs-core';
import { tensorsIn } from '../batch/tensors-in.js';
import { isOwned, type Loader } from '../loaders/loader.js';
import { isAsync } from '../streams/stream.js';

/** How long a source may take to end after it was asked to, in milliseconds. */
const CLOSING_LIMIT = 5_000;

type Result = IteratorResult<Batch, unknown>;

/** One epoch of a loader, from batch `start` on, read ahead where that helps. */
export class Reader {
  readonly #loader: Loader;
  readonly #iterator: Iterator<Batch, unknown> | AsyncIterator<Batch, unknown>;
  readonly #prefetch: number;
  /** Requested from the source but not handed out yet, the next one first. */
  readonly #ahead: Promise<Result>[] = [];
  /** Batches to read and discard. */
  #skip: number;
  #ended = false;

  constructor(loader: Loader, epoch: number, start: number) {
    const batches = loader.epoch(epoch, start);
    this.#loader = loader;
    this.#iterator = isAsync(batches) ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
    this.#prefetch = loader.prefetch ?? (isAsync(batches) ? 1 : 0);
    this.#skip = loader.seek === undefined ? start : 0;
  }

  get name(): string {
    return this.#loader.name;
  }

  /** The next batch; a promise only where there is something to wait for. */
  next(): Result | Promise<Result> {
    if (this.#prefetch === 0 && this.#skip === 0) return this.#pull();
    const current = this.#ahead.shift() ?? this.#begin(undefined);
    // Requested before this batch is used, so that the next ones are on their way while the step runs.
    while (this.#ahead.length < this.#prefetch) this.#ahead.push(this.#begin(this.#ahead.at(-1) ?? current));
    return current;
  }

  /** Ends the source if it has not ended, and disposes what was read ahead. */
  async close(logger: HookLogger | undefined): Promise<void> {
    const ended = this.#ended;
    this.#ended = true;
    const closing = ended ? undefined : this.#iterator.return?.();
    const ahead = this.#ahead.splice(0).map((pending) => pending.then(this.#discard, () => {}));
    const isDone = await withinLimit(Promise.all([closing, ...ahead]));
    if (isDone) return;
    logger?.warn(
      `Loader "${this.#loader.name}" did not end within ${CLOSING_LIMIT / 1000} seconds of being closed: it is still waiting for something. The run ends without waiting for it.`,
    );
  }

  #pull(): Result | Promise<Result> {
    if (this.#ended) return { value: undefined, done: true };
    const result = this.#iterator.next();
    return 'then' in result ? Promise.resolve(result).then(this.#note) : this.#note(result);
  }

  /** One at a time, because a source may reuse a buffer when it is asked for the next batch. */
  #begin(previous: Promise<Result> | undefined): Promise<Result> {
    const pending = previous === undefined ? this.#pullUnskipped() : previous.then(() => this.#pull());
    // Whoever asks for this batch sees the failure; until then it must not count as unhandled.
    pending.catch(() => {});
    return pending;
  }

  async #pullUnskipped(): Promise<Result> {
    for (; this.#skip > 0; this.#skip--) this.#discard(await this.#pull());
    return this.#pull();
  }

  readonly #note = (result: Result): Result => {
    if (result.done) this.#ended = true;
    return result;
  };

  readonly #discard = ({ value, done }: Result): void => {
    if (!done && isOwned(this.#loader, value)) tf.dispose(tensorsIn(value));
  };
}

/** Whether the work finished in time; a failure rejects. */
async function withinLimit(work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, CLOSING_LIMIT, false);
  });
  try {
    return await Promise.race([work.then(() => true), limit]);
  } finally {
    clearTimeout(timer);
  }
}
