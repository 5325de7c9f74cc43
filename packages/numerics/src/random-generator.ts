/** The four words of the generator, as they are saved in a checkpoint. */
export type RandomWords = [number, number, number, number];

/** A generator whose state can be saved (sfc32). */
export class RandomGenerator {
  #words: RandomWords;

  constructor(seed: number) {
    this.#words = [seed >>> 0, (seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
    // Close seeds give similar first draws, so these are thrown away.
    for (let i = 0; i < 15; i++) this.next();
  }

  /** From 0 up to, but not including, 1: 53 bits from two draws, as fine as `Math.random`. */
  next(): number {
    return (this.#draw() * 2 ** 21 + (this.#draw() >>> 11)) / 2 ** 53;
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
