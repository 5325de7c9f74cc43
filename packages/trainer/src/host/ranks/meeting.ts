/** A place where ranks meet: everybody brings something, and leaves with what all have brought. */
export interface Meeting {
  readonly rank: number;
  readonly world: number;
  /** What each rank brought, by rank. All ranks meet the same number of times. */
  meet(bytes: Uint8Array): Promise<Buffer[]>;
  /** The others learn that this rank cannot go on. */
  abort(reason: string): void;
}

/** The promise of a meeting that has begun, ended by whatever happens first. */
export class Pending<Value> {
  readonly done: Promise<Value>;
  #resolve!: (value: Value) => void;
  #reject!: (error: Error) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(seconds: number, onTimeout: () => void) {
    this.done = new Promise<Value>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Also what keeps the process alive meanwhile: sockets do not, so that it can end when it is done.
    this.#timer = setTimeout(onTimeout, seconds * 1000);
  }

  resolve(value: Value): void {
    clearTimeout(this.#timer);
    this.#resolve(value);
  }

  reject(error: Error): void {
    clearTimeout(this.#timer);
    this.#reject(error);
  }
}
