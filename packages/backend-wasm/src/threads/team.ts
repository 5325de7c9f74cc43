import { BackendWasmError } from '../errors.js';
import type { ModuleExports } from '../module/exports.js';
import type { Memory } from '../module/web-assembly.js';
import { CLOSED, FIRST_PART, MOST_PARTS, PART_NUMBERS, WORDS } from './board.js';

export type ExportName = keyof ModuleExports;

/** The arguments of one call of a function of the module. */
export type Call = readonly (number | boolean)[];

/**
 * How long the caller busily waits for the last part before it sleeps. Not longer: the worker that has it may be waiting
 * for the caller's processor.
 */
const SPIN_MILLISECONDS = 0.05;

export interface TeamParts {
  readonly board: SharedArrayBuffer;
  readonly memory: Memory;
  /** The module as the calling thread has it. */
  readonly module: ModuleExports;
  /** The functions of the module in the order that the workers know them by. */
  readonly names: readonly ExportName[];
  /** The calling thread among them. */
  readonly threads: number;
  /**
   * How long the caller sleeps at a time while a worker has a part, and after how many naps without progress it gives up.
   * A part takes milliseconds: only a thread that was killed takes that long.
   */
  readonly patience?: { readonly milliseconds: number; readonly naps: number };
}

/**
 * The calling thread and its workers, which compute the parts of one operation together: whoever is free takes the next
 * part. If a worker is late or dead, the caller computes all parts.
 */
export class Team {
  readonly threads: number;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  readonly #memory: Memory;
  readonly #functions: readonly ((...args: number[]) => unknown)[];
  readonly #places: ReadonlyMap<ExportName, number>;
  readonly #patience: NonNullable<TeamParts['patience']>;
  #isClosed = false;

  constructor({ board, memory, module, names, threads, patience }: TeamParts) {
    this.threads = threads;
    this.#words = new Int32Array(board);
    this.#numbers = new Float64Array(board);
    this.#memory = memory;
    this.#functions = names.map((name) => module[name] as (...args: number[]) => unknown);
    this.#places = new Map(names.map((name, place) => [name, place]));
    this.#patience = patience ?? { milliseconds: 1000, naps: 60 };
  }

  /** Whether all workers look for work, rather than sleep. */
  get isAwake(): boolean {
    return Atomics.load(this.#words, WORDS.sleepers) === 0;
  }

  /** Makes the calls, of one function and in any order, and returns when all of them are made. */
  run(name: ExportName, calls: readonly Call[]): void {
    const count = calls.length;
    if (count > MOST_PARTS)
      throw new RangeError(`${count} parts of ${name}; there is room for ${MOST_PARTS}.`);
    const words = this.#words;
    this.#write(this.#places.get(name)!, calls);
    if (this.#isClosed) {
      for (let part = 0; part < count; part++) this.#call(part);
      return;
    }
    words[WORDS.failed] = 0;
    words[WORDS.finished] = 0;
    words[WORDS.pages] = this.#memory.buffer.byteLength / 65_536;
    Atomics.store(words, WORDS.ticket, count << 8);
    if (!this.isAwake) Atomics.notify(words, WORDS.ticket);
    for (let part = this.#take(); part !== undefined; part = this.#take()) this.#finish(part);
    this.#awaitFinished(name, count);
    if (Atomics.load(words, WORDS.failed)) throw threadLost(`A part of ${name} failed`);
  }

  /** Tells the workers to end. From then on the caller computes alone. */
  close(): void {
    this.#isClosed = true;
    Atomics.store(this.#words, WORDS.ticket, CLOSED);
    Atomics.notify(this.#words, WORDS.ticket);
  }

  #write(place: number, calls: readonly Call[]): void {
    const numbers = this.#numbers;
    for (let part = 0; part < calls.length; part++) {
      const call = calls[part]!;
      const at = FIRST_PART + part * PART_NUMBERS;
      numbers[at] = place;
      numbers[at + 1] = call.length;
      for (let i = 0; i < call.length; i++) numbers[at + 2 + i] = Number(call[i]);
    }
  }

  /** The next part that nobody has taken. */
  #take(): number | undefined {
    for (;;) {
      const ticket = Atomics.load(this.#words, WORDS.ticket);
      const part = ticket & 255;
      if (part >= ticket >> 8) return undefined;
      if (Atomics.compareExchange(this.#words, WORDS.ticket, ticket, ticket + 1) === ticket) return part;
    }
  }

  #call(part: number): void {
    const at = FIRST_PART + part * PART_NUMBERS;
    const end = at + 2 + this.#numbers[at + 1]!;
    this.#functions[this.#numbers[at]!]!(...this.#numbers.subarray(at + 2, end));
  }

  #finish(part: number): void {
    try {
      this.#call(part);
    } catch {
      // Thrown once the others have finished too.
      Atomics.store(this.#words, WORDS.failed, 1);
    }
    Atomics.add(this.#words, WORDS.finished, 1);
  }

  #awaitFinished(name: ExportName, count: number): void {
    const words = this.#words;
    if (Atomics.load(words, WORDS.finished) === count) return;
    const end = performance.now() + SPIN_MILLISECONDS;
    do {
      for (let i = 0; i < 100; i++) if (Atomics.load(words, WORDS.finished) === count) return;
    } while (performance.now() < end);
    Atomics.store(words, WORDS.callerSleeps, 1);
    let naps = 0;
    for (let finished = this.#finished(); finished < count; finished = this.#finished()) {
      const outcome = Atomics.wait(words, WORDS.finished, finished, this.#patience.milliseconds);
      naps = outcome === 'timed-out' ? naps + 1 : 0;
      if (naps < this.#patience.naps) continue;
      this.close();
      throw threadLost(`A worker did not finish its part of ${name}`);
    }
    Atomics.store(words, WORDS.callerSleeps, 0);
  }

  #finished(): number {
    return Atomics.load(this.#words, WORDS.finished);
  }
}

function threadLost(what: string): BackendWasmError {
  return new BackendWasmError(
    'THREAD_LOST',
    `${what}: a worker thread was killed, or the memory is damaged. Do not use the results of this step: start again ` +
      'from the last checkpoint. If it happens again, leave out the option `threads`.',
  );
}
