/**
 * After a loss, threads rest while operations take this many times as long. It is for a cost of a twentieth at worst:
 * a worker that has to share the caller's processor also costs time between operations, which is not measured.
 */
const REST_PER_LOSS = 50;

/**
 * Milliseconds that threads may lose before they rest, at first and after a rest. The first operations often do lose:
 * it takes the system a moment to give a worker that was asleep a processor of its own.
 */
const CREDIT = 8;

/** What they can save up by winning. One interruption, of ten milliseconds or more, is no reason to rest. */
const MOST_CREDIT = 60;

/**
 * Whether threads pay at present. They do not while other processes keep the processors busy: a worker takes a part
 * and is then not let run. What threads win makes up for interruptions, which come without them too.
 */
export class Account {
  #credit = CREDIT;
  #rest = 0;

  get isResting(): boolean {
    return this.#rest > 0;
  }

  /** An operation that was done alone took so many milliseconds. */
  noteAlone(milliseconds: number): void {
    this.#rest = Math.max(0, this.#rest - milliseconds);
  }

  /** An operation won so many milliseconds against one thread; less than 0 when it lost. */
  noteTogether(won: number): void {
    this.#credit = Math.min(this.#credit + won, MOST_CREDIT);
    if (this.#credit >= 0) return;
    this.#rest = (CREDIT - this.#credit) * REST_PER_LOSS;
    this.#credit = CREDIT;
  }
}
