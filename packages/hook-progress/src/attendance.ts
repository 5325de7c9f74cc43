import type { TrainingState } from '@hookline/hook-api';

const PERIOD_MS = 200;

/**
 * Notices that the run goes on without us: a hook that is switched off is not told so, it is just no longer called.
 * How long a batch takes says nothing; that the position of the run has moved twice without a call does.
 */
export class Attendance {
  readonly #state: TrainingState;
  readonly #onAbsence: () => void;
  readonly #timer: NodeJS.Timeout;
  #position = '';
  #moves = 0;
  #called = false;

  constructor(state: TrainingState, onAbsence: () => void) {
    this.#state = state;
    this.#onAbsence = onAbsence;
    this.#timer = setInterval(() => this.#look(), PERIOD_MS).unref();
  }

  /** To be told of every call; cheap. */
  note(): void {
    this.#called = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { status, epoch, batchIndex } = this.#state;
    const position = `${status} ${epoch} ${batchIndex}`;
    if (this.#called) this.#moves = 0;
    else if (position !== this.#position) this.#moves++;
    this.#called = false;
    this.#position = position;
    if (this.#moves >= 2) this.#onAbsence();
  }
}
