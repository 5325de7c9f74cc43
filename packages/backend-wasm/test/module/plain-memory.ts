import type { BenchMemory } from '../native/bench-memory.js';

/**
 * The same memory for plain functions: floats are doubles here, and it is known what was written. Everything else must
 * be as it was before.
 */
export class PlainMemory {
  readonly #before: Int32Array;
  readonly #floats: Float64Array;
  /** Which result each written float belongs to, by the address that it was written with; 0 where none was. */
  readonly #results: Float64Array;
  readonly #words = new Map<number, number>();
  readonly #bytes = new Map<number, number>();
  readonly #doubles = new Map<number, { value: number; tolerance: number }>();
  readonly #free = new Set<number>();

  constructor(private readonly bench: BenchMemory) {
    this.#before = bench.snapshot();
    this.#floats = new Float64Array(new Float32Array(this.#before.buffer));
    this.#results = new Float64Array(this.#floats.length);
  }

  get(address: number, index = 0): number {
    return this.#floats[this.#place(address, index)]!;
  }

  put(address: number, index: number, value: number): void {
    const place = this.#place(address, index);
    this.#floats[place] = value;
    this.#results[place] = address;
  }

  add(address: number, index: number, value: number): void {
    this.put(address, index, this.get(address, index) + value);
  }

  /** The bits of an element, for functions that copy elements of any type. */
  word(address: number, index = 0): number {
    const place = this.#place(address, index);
    return this.#words.get(place) ?? this.#before[place]!;
  }

  putWord(address: number, index: number, bits: number): void {
    this.#words.set(this.#place(address, index), bits);
  }

  byte(address: number, index: number): number {
    return new Uint8Array(this.#before.buffer)[this.#place(address, 0) * 4 + index]!;
  }

  putByte(address: number, index: number, value: number): void {
    this.#bytes.set(this.#place(address, 0) * 4 + index, value);
  }

  double(address: number, index: number): number {
    return new DataView(this.#before.buffer).getFloat64(this.#place(address, index * 2) * 4, true);
  }

  putDouble(address: number, index: number, value: number, tolerance = 1e-12): void {
    this.#doubles.set(this.#place(address, index * 2), { value, tolerance });
  }

  /** What is in these floats afterwards does not matter. */
  release(address: number, count: number): void {
    for (let i = 0; i < count; i++) this.#free.add(this.#place(address, i));
  }

  /** Where the bench differs now, in words. */
  differences(tolerance: number): string[] {
    const actual = this.bench.snapshot();
    const floats = new Float32Array(actual.buffer);
    const expected = this.#before.slice();
    const found: string[] = [];
    for (const [place, bits] of this.#words) expected[place] = bits;
    for (const [place, value] of this.#bytes) new Uint8Array(expected.buffer)[place] = value;
    const scales = this.#scales();
    for (const [place, result] of this.#written()) {
      expected[place] = actual[place]!;
      const [far, limit] = [Math.abs(floats[place]! - this.#floats[place]!), tolerance * scales.get(result)!];
      if (far <= limit || Object.is(floats[place], this.#floats[place])) continue;
      found.push(`${floats[place]} in place of ${this.#floats[place]} at float ${place}`);
    }
    for (const [place, { value, tolerance: limit }] of this.#doubles) {
      const made = new DataView(actual.buffer).getFloat64(place * 4, true);
      for (const word of [place, place + 1]) expected[word] = actual[word]!;
      if (Math.abs(made - value) > limit * Math.max(1, Math.abs(value)))
        found.push(`${made} in place of ${value}`);
    }
    for (const place of this.#free) expected[place] = actual[place]!;
    for (let word = 0; word < expected.length; word++) {
      if (actual[word] === expected[word]) continue;
      found.push(`word ${word} has the bits ${actual[word]}, expected ${expected[word]}`);
      break;
    }
    return found;
  }

  *#written(): Iterable<readonly [place: number, result: number]> {
    for (let place = 0; place < this.#results.length; place++) {
      const result = this.#results[place]!;
      if (result !== 0) yield [place, result];
    }
  }

  /** For each result its largest number: what rounding is relative to. */
  #scales(): Map<number, number> {
    const scales = new Map<number, number>();
    for (const [place, result] of this.#written()) {
      const size = Math.abs(this.#floats[place]!);
      scales.set(result, Math.max(scales.get(result) ?? 1e-3, Number.isFinite(size) ? size : 0));
    }
    return scales;
  }

  #place(address: number, index: number): number {
    return this.bench.place(address) + index;
  }
}

/** What a function of the module does, the slow and obvious way; flags are 0 or 1. */
export type Plain = (memory: PlainMemory, ...args: number[]) => unknown;
