import type { Mix } from './mix.js';

// Type aliases, which are JSON to the compiler; interfaces are not.

/** How far an epoch has come. */
export type FeedPosition = {
  epoch: number;
  /** Batches so far, of all loaders. */
  batch: number;
  turn: number;
  loaders: LoaderPosition[];
};

export type LoaderPosition = {
  /** Which pass over its data the loader is in: the epoch of the run, unless it was restarted. */
  pass: number;
  /** Batches so far in this pass. */
  batch: number;
  /** Whether it has reached its end in this epoch. */
  done: boolean;
};

/** Whose batch is next in an epoch: applies the strategy and what it does with a loader that is done. */
export class Turns {
  readonly #mix: Mix;
  readonly #seed: number;
  readonly #open: boolean[];
  #over = false;

  /** Advances `position`. */
  constructor(
    mix: Mix,
    readonly position: FeedPosition,
    seed: number,
  ) {
    this.#mix = mix;
    this.#seed = seed;
    this.#open = position.loaders.map(({ done }) => !done || mix.whenExhausted === 'restart');
  }

  /** The loader to ask next; undefined when the epoch is over. */
  next(): number | undefined {
    const { position } = this;
    while (!this.#over && this.#open.includes(true)) {
      const index = this.#mix.pick({ number: position.turn, open: this.#open, seed: this.#seed });
      if (this.#open[index]) return index;
      position.turn++;
    }
    return undefined;
  }

  /** The loader gave a batch. */
  took(index: number): void {
    const { position } = this;
    position.turn++;
    position.batch++;
    position.loaders[index]!.batch++;
  }

  /** The loader had none left. If it is asked again, it is in its next pass. */
  exhausted(index: number): void {
    const { position } = this;
    const loader = position.loaders[index]!;
    const { whenExhausted } = this.#mix;
    loader.done = true;
    if (whenExhausted === 'stop' || position.loaders.every(({ done }) => done)) this.#over = true;
    else if (whenExhausted === 'restart') Object.assign(loader, { pass: loader.pass + 1, batch: 0 });
    else this.#open[index] = false;
  }
}
