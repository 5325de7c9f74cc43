import type { StartedTeam } from './start-team.js';
import type { Team } from './team.js';

/** Who computes large operations together; undefined while the caller computes alone. */
export interface Members {
  readonly team: Team | undefined;
  /** The caller has computed for so many milliseconds what a team could have shared. */
  noteAlone?(milliseconds: number): void;
}

/**
 * How much work a team could have shared before it is started. Starting a worker takes some 30 milliseconds of a
 * processor: a run that is over sooner would never get them back.
 */
const ENOUGH_WORK_MILLISECONDS = 400;

/** A team that starts when there has been enough work for it. Where it cannot start, the caller goes on alone. */
export class LateTeam implements Members {
  #started: StartedTeam | undefined;
  #isStarting = false;
  #isEnded = false;
  #work = 0;

  constructor(private readonly start: () => Promise<StartedTeam>) {}

  get team(): Team | undefined {
    return this.#started?.team;
  }

  noteAlone(milliseconds: number): void {
    if (this.#isStarting) return;
    this.#work += milliseconds;
    if (this.#work < ENOUGH_WORK_MILLISECONDS) return;
    this.#isStarting = true;
    this.start().then(
      (started) => {
        if (this.#isEnded) started.end();
        else this.#started = started;
      },
      // Nobody has asked for threads in particular, and training is the same without.
      () => {},
    );
  }

  end(): void {
    this.#isEnded = true;
    this.#started?.end();
    this.#started = undefined;
  }
}
