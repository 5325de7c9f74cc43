import type { TrainingState } from '@hookline/hook-api';

const PERIOD_MS = 200;

/**
 * Notices that the hook was switched off: nobody tells it, it is just no longer called. A long wait proves nothing,
 * because a batch may take long; that the run has moved on twice without a call does.
 */
export class Attendance {
  readonly #state: TrainingState;
  readonly #onAbsence: () => void;
  readonly #timer: NodeJS.Timeout;
  #place = '';
  #moves = 0;
  #called = false;

  constructor(state: TrainingState, onAbsence: () => void) {
    this.#state = state;
    this.#onAbsence = onAbsence;
    this.#timer = setInterval(() => this.#look(), PERIOD_MS).unref();
  }

  /** Called whenever the hook is called; cheap. */
  note(): void {
    this.#called = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { status, epoch, batchIndex } = this.#state;
    const place = `${status} ${epoch} ${batchIndex}`;
    if (this.#called) this.#moves = 0;
    else if (place !== this.#place) this.#moves++;
    this.#called = false;
    this.#place = place;
    if (this.#moves >= 2) this.#onAbsence();
  }
}
