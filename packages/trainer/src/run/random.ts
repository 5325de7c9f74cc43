import { RandomGenerator } from '@hookline/numerics';
import { type AsyncScope, createAsyncScope } from '#host';

/**
 * The run's own source of randomness. tfjs draws every seed (initialisation, dropout, noise) from `Math.random`,
 * so it is replaced inside the trainer's synchronous sections and nowhere else: hooks, timers and the user's code
 * see the original.
 */
export class RandomState extends RandomGenerator {
  /** What the program had when the section began. */
  #original: () => number = Math.random;
  /** Whose code it is that runs, during a section that may wait. */
  #inside: AsyncScope | undefined;
  /**
   * Turns every number, by a share of 1. Ranks that train together draw from generators in the same state, so that one
   * checkpoint holds the state of all, and yet not the same numbers: dropout differs between their samples.
   */
  turn = 0;

  /** Runs synchronous code whose `Math.random` is this generator. */
  during<Result>(section: () => Result): Result {
    this.#original = Math.random;
    return withRandom(() => this.#turned(), section);
  }

  /**
   * The same for code that may wait: this generator answers it alone. Whatever else runs meanwhile has the
   * program's own.
   */
  async duringAsync<Result>(section: () => Result | Promise<Result>): Promise<Result> {
    const before = Math.random;
    const isInside = createAsyncScope();
    this.#inside = isInside;
    const mine = () => (isInside.get() ? this.#turned() : before());
    Math.random = mine;
    try {
      return await isInside.run(true, section);
    } finally {
      // Somebody else may have replaced it meanwhile: then ours, which they hold, hands everything on.
      if (Math.random === mine) Math.random = before;
      isInside.end();
      this.#inside = undefined;
    }
  }

  /** Within a section that may wait: runs code, which may wait too, with the program's own `Math.random`. */
  outsideAsync<Result>(section: () => Result): Result {
    return this.#inside ? this.#inside.run(false, section) : section();
  }

  #turned(): number {
    const number = this.next() + this.turn;
    return number < 1 ? number : number - 1;
  }

  /** Runs a hook inside such a section: it sees the original `Math.random` and cannot disturb the run. */
  outside<Result>(section: () => Result): Result {
    return withRandom(this.#original, section);
  }
}

function withRandom<Result>(random: () => number, section: () => Result): Result {
  const before = Math.random;
  Math.random = random;
  try {
    return section();
  } finally {
    Math.random = before;
  }
}
