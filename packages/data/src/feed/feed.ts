import type { Batch, HookLogger } from '@hookline/hook-api';
import { deriveSeed } from '@hookline/numerics';
import { loaderFailed, noBatch } from '../errors.js';
import { isOwned, type Loader } from '../loaders/loader.js';
import { isPadding } from '../loaders/share.js';
import { changesSince, type FeedState } from './feed-state.js';
import { type Mix, SEQUENTIAL } from './mix.js';
import { Reader } from './reader.js';
import { type FeedPosition, Turns } from './turns.js';

export interface FeedOptions {
  mix?: Mix | undefined;
  seed?: number | undefined;
}

/** A batch with where it came from. */
export interface LoadedBatch {
  batch: Batch;
  batchIndex: number;
  loaderIndex: number;
  loaderName: string;
  /** Whether the batch is to be disposed after use. */
  owned: boolean;
  /** This process has no sample of the batch; the row that it holds must not count. */
  padding?: boolean;
}

/** One or several loaders as one sequence of batches, whose position can be saved. */
export class Feed {
  readonly #mix: Mix;
  readonly #seed: number;
  /** Set by the run, once there is one. */
  logger: HookLogger | undefined;
  /** After the last batch that was handed out. */
  #position: FeedPosition;
  /** At the last `commit`; this is what is saved. */
  #committed: FeedPosition;

  constructor(
    readonly loaders: readonly Loader[],
    { mix = SEQUENTIAL, seed = 0 }: FeedOptions = {},
  ) {
    this.#mix = mix;
    this.#seed = mix.seed ?? seed;
    this.#position = this.#startOf(0);
    this.#committed = this.#position;
  }

  /** How many batches an epoch has, when every loader knows and the number is not random. */
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

  /** The batches of an epoch; only the rest of it when `commit` or `resume` stopped within this epoch. */
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
        // Awaited only where there is something to wait for, so that a table costs no turn of the event loop.
        const result = asked instanceof Promise ? await asked : asked;
        if (result.done) {
          readers.delete(index);
          if (position.loaders[index]!.batch === 0) throw noBatch(this.loaders[index]!.name);
          turns.exhausted(index);
          continue;
        }
        turns.took(index);
        const loader = this.loaders[index]!;
        failed = false; // from here on the caller decides whether to leave
        yield {
          batch: result.value,
          batchIndex: position.batch - 1,
          loaderIndex: index,
          loaderName: loader.name,
          owned: isOwned(loader, result.value),
          ...(isPadding(result.value) && { padding: true }),
        };
        failed = true;
      }
      failed = false;
    } finally {
      await this.#close([...readers.values()], failed);
    }
  }

  /** What was handed out so far is done and does not come again when the run is resumed. */
  commit(): void {
    this.#committed = copyOf(this.#position);
  }

  /** The epoch is done, whether all of it was used or not. */
  commitEpoch(): void {
    this.#committed = this.#startOf(this.#position.epoch + 1, this.#position);
  }

  /** The position at the last commit. */
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

  /** How the data differs from that of a saved position, in words; empty when it does not. */
  changesSince(saved: FeedState): string[] {
    return changesSince(saved, this.#mix, this.loaders);
  }

  /** Continues at a saved position. If the data has changed, returns false and starts that epoch over. */
  resume(saved: FeedState): boolean {
    const { epoch, batch, turn } = saved;
    const changes = this.changesSince(saved);
    if (changes.length > 0) {
      if (batch === 0) return true;
      this.logger?.warn(
        `The data has changed since the position was saved (${changes.join('; ')}), so epoch ${epoch + 1} starts over instead of continuing at batch ${batch + 1}.`,
      );
      return false;
    }
    const loaders = saved.loaders.map(({ pass, batch, done }) => ({ pass, batch, done }));
    this.#committed = { epoch, batch, turn, loaders };
    this.#position = copyOf(this.#committed);
    return true;
  }

  #startOf(epoch: number, before?: FeedPosition): FeedPosition {
    const restarts = this.#mix.whenExhausted === 'restart';
    return {
      epoch,
      batch: 0,
      turn: 0,
      loaders: this.loaders.map((_, index) => {
        // A loader that is restarted within epochs keeps counting, so that no order repeats.
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
        `Loader "${loader.name}" cannot jump to its position: the ${batch} batches that were already seen are read again and discarded.`,
      );
    }
    return new Reader(loader, pass, batch);
  }

  /** Closes all of them, whatever happens. A failure is thrown unless there was one before. */
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

/** The batches of an epoch, loader after loader. */
export function batchesOf(loaders: readonly Loader[], epoch: number): AsyncGenerator<LoadedBatch, void> {
  return new Feed(loaders).epoch(epoch);
}

/** How many batches an epoch has, when every loader knows. */
export function batchCount(loaders: readonly Loader[]): number | undefined {
  return new Feed(loaders).batches;
}

function copyOf({ loaders, ...rest }: FeedPosition): FeedPosition {
  return { ...rest, loaders: loaders.map((loader) => ({ ...loader })) };
}
