import { sweepError } from '../errors.js';
import { type Job, nextJob } from '../schedule.js';
import type { Sweep } from '../sweep-config.js';
import { type Entry, endEntry, withEntry } from './entries.js';
import type { Journal } from './journal.js';
import { isOfThisMachine, type Owner, thisOwner } from './owner.js';

/** Takes the next job, for this owner alone. */
export function takeJob(sweep: Sweep, journal: Journal, by: Owner): Promise<Job | 'wait' | 'done'> {
  return journal.update<Job | 'wait' | 'done'>((found) => {
    const entries: Entry[] = [];
    let trials = found;
    const add = (entry: Entry) => {
      entries.push(entry);
      trials = withEntry(trials, entry);
    };
    for (;;) {
      const job = nextJob(sweep, trials);
      if (typeof job === 'string') return { entries, result: job };
      const { trial, rung, point } = job;
      const reached = trials[trial]?.outcomes.at(-1);
      if (!reached?.finished) {
        add({ event: 'start', trial, rung, point, by });
        return { entries, result: job };
      }
      // It has nothing left to train: what it has reached is what it would reach.
      add(endEntry(trial, rung, { ...reached, seconds: 0 }));
    }
  });
}

/** Makes this process the owner of a job that a queue has taken, or that was interrupted. */
export function claimJob(sweep: Sweep, journal: Journal, trial: number): Promise<Job> {
  return journal.update((trials) => {
    const { running, interrupted, by: owner, point } = trials[trial] ?? {};
    const rung = running ?? interrupted;
    if (rung === undefined || point === undefined) {
      throw sweepError(
        'CLI_USAGE',
        `Trial ${trial} was not taken. "hookline sweep next" takes one, and prints its number.`,
      );
    }
    // Another machine is not refused: whether its process lives cannot be seen from here, and somebody asks for this.
    if (owner !== undefined && owner !== 'queue' && isOfThisMachine(owner)) {
      throw sweepError(
        'TRIAL_TAKEN',
        `Process ${owner.pid} of this machine is training trial ${trial}. Wait for it, or end it and run this again: ` +
          'it continues where that process was.',
      );
    }
    const result = { trial, rung, point, epochs: sweep.rungs[rung]! };
    return { entries: [{ event: 'start', trial, rung, point, by: thisOwner() }], result };
  });
}
