/**
 * After a loss, threads rest until operations have taken this many times as long, and after each further loss twice as
 * many as before: on a machine that stays crowded they soon cost nothing. A worker that shares the caller's processor
 * also costs time between operations, which is not measured.
 */
const REST_PER_LOSS = 50;
const MOST_REST_PER_LOSS = 3200;

/**
 * Milliseconds that threads may lose before they rest, at first and after a rest. The first operations often lose time:
 * the system needs a moment to give a sleeping worker a processor.
 */
const CREDIT = 8;

/** The most credit that they can save up. A single interruption, of ten milliseconds or more, is not a reason to rest. */
const MOST_CREDIT = 60;

/**
 * Whether threads are worth it at the moment. They are not while other processes keep the processors busy: a worker
 * takes a part and then does not get to run. Time won makes up for interruptions, which happen without threads too.
 */
export class Account {
  #credit = CREDIT;
  #rest = 0;
  #restPerLoss = REST_PER_LOSS;

  get isResting(): boolean {
    return this.#rest > 0;
  }

  /** An operation ran on one thread for this many milliseconds. */
  noteAlone(milliseconds: number): void {
    this.#rest = Math.max(0, this.#rest - milliseconds);
  }

  /** An operation was this many milliseconds faster than on one thread; negative when it was slower. */
  noteTogether(won: number): void {
    this.#credit = Math.min(this.#credit + won, MOST_CREDIT);
    if (this.#credit === MOST_CREDIT) this.#restPerLoss = REST_PER_LOSS;
    if (this.#credit >= 0) return;
    this.#rest = (CREDIT - this.#credit) * this.#restPerLoss;
    this.#restPerLoss = Math.min(this.#restPerLoss * 2, MOST_REST_PER_LOSS);
    this.#credit = CREDIT;
  }
}
