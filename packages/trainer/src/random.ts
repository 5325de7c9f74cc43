import { AsyncLocalStorage } from 'node:async_hooks';

/** The four words of the generator, as they are saved in a checkpoint. */
export type RandomWords = [number, number, number, number];

/**
 * The run's own source of randomness. tfjs draws every seed (initialisation, dropout, noise) from `Math.random`,
 * so it is replaced inside the trainer's synchronous sections and nowhere else: hooks, timers and the user's code
 * see the original.
 */
export class RandomState {
  #words: RandomWords;
  /** What the program had when the section began. */
  #original: () => number = Math.random;

  constructor(seed: number) {
    this.#words = [seed >>> 0, (seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
    // The first draws of close seeds are alike; these mix them.
    for (let i = 0; i < 15; i++) this.next();
  }

  /** From 0 to 1 (sfc32, with 53 bits of two draws so that it is as fine as `Math.random`). */
  next(): number {
    return (this.#draw() * 2 ** 21 + (this.#draw() >>> 11)) / 2 ** 53;
  }

  /** Runs synchronous code whose `Math.random` is this generator. */
  during<Result>(section: () => Result): Result {
    this.#original = Math.random;
    return withRandom(() => this.next(), section);
  }

  /**
   * The same for code that may wait: this generator answers it alone. Whatever else runs meanwhile has the
   * program's own.
   */
  async duringAsync<Result>(section: () => Result | Promise<Result>): Promise<Result> {
    const before = Math.random;
    const isInside = new AsyncLocalStorage<boolean>();
    const mine = () => (isInside.getStore() ? this.next() : before());
    Math.random = mine;
    try {
      return await isInside.run(true, section);
    } finally {
      // Somebody else may have replaced it meanwhile: then ours, which they hold, hands everything on.
      if (Math.random === mine) Math.random = before;
      // Until then Node follows every promise of the process, which makes each of them slower.
      isInside.disable();
    }
  }

  /** Runs a hook inside such a section: it sees the original `Math.random` and cannot disturb the run. */
  outside<Result>(section: () => Result): Result {
    return withRandom(this.#original, section);
  }

  save(): RandomWords {
    return [...this.#words];
  }

  load(words: RandomWords): void {
    this.#words = [...words];
  }

  #draw(): number {
    const [a, b, c, counter] = this.#words;
    const draw = (a + b + counter) | 0;
    this.#words = [
      b ^ (b >>> 9),
      (c + (c << 3)) | 0,
      (((c << 21) | (c >>> 11)) + draw) | 0,
      (counter + 1) | 0,
    ];
    return draw >>> 0;
  }
}

/** An independent stream for one purpose, such as the order of one epoch. */
export function deriveSeed(seed: number, ...keys: (string | number)[]): number {
  return keys.flatMap(toNumbers).reduce((mixed, key) => {
    let h = Math.imul(mixed ^ (key + 0x9e3779b9), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  }, seed >>> 0);
}

/** With its length in front, lest `ab`, `c` and `a`, `bc` are the same. */
function toNumbers(key: string | number): number[] {
  if (typeof key === 'number') return [key];
  return [key.length, ...Array.from(key, (_, index) => key.charCodeAt(index))];
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
