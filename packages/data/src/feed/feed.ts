import type { HookLogger } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { loaderFailed, noBatch } from '../loader-failed.js';
import { isOwned, type Loader } from '../loaders/loader.js';
import type { LoadedBatch } from './batches.js';
import { changesSince, type FeedState } from './feed-state.js';
import { type Mix, SEQUENTIAL } from './mix.js';
import { Reader } from './reader.js';
import { type Position, Turns } from './turns.js';

export interface FeedOptions {
  mix?: Mix | undefined;
  seed?: number | undefined;
}

/** One or several loaders as one row of batches, which knows where it stands. */
export class Feed {
  readonly #mix: Mix;
  readonly #seed: number;
  /** The run's, once there is one. */
  logger: HookLogger | undefined;
  /** As of the last batch that was handed out. */
  #position: Position;
  /** As of the last `commit`: what is saved. */
  #committed: Position;

  constructor(
    readonly loaders: readonly Loader[],
    { mix = SEQUENTIAL, seed = 0 }: FeedOptions = {},
  ) {
    this.#mix = mix;
    this.#seed = mix.seed ?? seed;
    this.#position = this.#startOf(0);
    this.#committed = this.#position;
  }

  /** How many batches an epoch has, when every loader can tell and chance has no part in it. */
  get batches(): number | undefined {
    const counts = this.loaders.map(({ batches }) => batches);
    if (counts.includes(undefined)) return undefined;
    if (this.#mix.whenExhausted === 'continue') return counts.reduce((sum, count) => sum! + count!, 0);
    if (this.#mix.isRandom) return undefined;
    const turns = new Turns(this.#mix, this.#startOf(0), 0);
    for (let index = turns.next(); index !== undefined; index = turns.next()) {
      if (turns.position.loaders[index]!.batch < counts[index]!) turns.took(index);
      else turns.exhausted(index);
    }
    return turns.position.batch;
  }

  /** The batches of an epoch; the rest of it, when it is the one in which `commit` or `resume` left off. */
  async *epoch(epoch: number): AsyncGenerator<LoadedBatch, void> {
    const position =
      this.#committed.epoch === epoch ? copyOf(this.#committed) : this.#startOf(epoch, this.#position);
    this.#position = position;
    const turns = new Turns(this.#mix, position, deriveSeed(this.#seed, epoch));
    const readers = new Map<number, Reader>();
    let failed = true;
    try {
      for (let index = turns.next(); index !== undefined; index = turns.next()) {
        const asked = this.#ask(readers, index);
        // Awaited only where there is something to wait for: a table costs no turn of the event loop.
        const result = asked instanceof Promise ? await asked : asked;
        if (result.done) {
          readers.delete(index);
          if (position.loaders[index]!.batch === 0) throw noBatch(this.loaders[index]!.name);
          turns.exhausted(index);
          continue;
        }
        turns.took(index);
        const loader = this.loaders[index]!;
        failed = false; // from here it is the caller who leaves
        yield {
          batch: result.value,
          batchIndex: position.batch - 1,
          loaderIndex: index,
          loaderName: loader.name,
          owned: isOwned(loader, result.value),
        };
        failed = true;
      }
      failed = false;
    } finally {
      await this.#close([...readers.values()], failed);
    }
  }

  /** What was handed out so far is done: it will not come again when the run is resumed. */
  commit(): void {
    this.#committed = copyOf(this.#position);
  }

  /** The epoch is done, whether it was used to its end or not. */
  commitEpoch(): void {
    this.#committed = this.#startOf(this.#position.epoch + 1, this.#position);
  }

  /** The position as of the last commit. */
  saveState(): FeedState {
    const { loaders, ...rest } = copyOf(this.#committed);
    return {
      ...rest,
      mix: this.#mix.id,
      loaders: loaders.map((position, index) => {
        const { name, order = {} } = this.loaders[index]!;
        return { name, ...position, order: { ...order } };
      }),
    };
  }

  /** Goes on at a saved position. Returns false, and begins that epoch anew, when the data is not the same. */
  resume(saved: FeedState): boolean {
    const { epoch, batch, turn } = saved;
    const changes = changesSince(saved, this.#mix, this.loaders);
    if (changes.length > 0) {
      if (batch === 0) return true;
      this.logger?.warn(
        { epoch, batch },
        `The data is not what it was when the position was saved (${changes.join('; ')}), so epoch ${epoch} begins anew instead of at batch ${batch}.`,
      );
      return false;
    }
    const loaders = saved.loaders.map(({ pass, batch, done }) => ({ pass, batch, done }));
    this.#committed = { epoch, batch, turn, loaders };
    this.#position = copyOf(this.#committed);
    return true;
  }

  #startOf(epoch: number, before?: Position): Position {
    const restarts = this.#mix.whenExhausted === 'restart';
    return {
      epoch,
      batch: 0,
      turn: 0,
      loaders: this.loaders.map((_, index) => {
        // One that is restarted within epochs goes on counting, so that no order comes twice.
        const pass = restarts && before ? before.loaders[index]!.pass + 1 : epoch;
        return { pass, batch: 0, done: false };
      }),
    };
  }

  #ask(readers: Map<number, Reader>, index: number): ReturnType<Reader['next']> {
    const fail = (error: unknown): never => {
      const { epoch, batch } = this.#position;
      throw loaderFailed(this.loaders[index]!.name, epoch, batch, error);
    };
    try {
      let reader = readers.get(index);
      if (!reader) {
        reader = this.#open(index);
        readers.set(index, reader);
      }
      const asked = reader.next();
      return asked instanceof Promise ? asked.catch(fail) : asked;
    } catch (error) {
      return fail(error);
    }
  }

  #open(index: number): Reader {
    const loader = this.loaders[index]!;
    const { pass, batch } = this.#position.loaders[index]!;
    if (batch > 0 && loader.seek !== 'jump') {
      this.logger?.info(
        { loader: loader.name, batches: batch },
        `Loader "${loader.name}" cannot jump: the ${batch} batches that were seen already are read again and left out.`,
      );
    }
    return new Reader(loader, pass, batch);
  }

  /** All of them, whatever happens; a failure counts unless there was one before. */
  async #close(readers: readonly Reader[], failed: boolean): Promise<void> {
    const outcomes = await Promise.allSettled(readers.map((reader) => reader.close(this.logger)));
    const failure = outcomes.findIndex(({ status }) => status === 'rejected');
    if (failure < 0 || failed) return;
    const { epoch, batch } = this.#position;
    throw loaderFailed(
      readers[failure]!.name,
      epoch,
      batch,
      (outcomes[failure] as PromiseRejectedResult).reason,
    );
  }
}

function copyOf({ loaders, ...rest }: Position): Position {
  return { ...rest, loaders: loaders.map((loader) => ({ ...loader })) };
}
