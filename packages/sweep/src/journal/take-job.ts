import { type Job, nextJob } from '../schedule.js';
import type { Sweep } from '../sweep-config.js';
import { type Entry, endEntry, type Owner, withEntry } from './entries.js';
import type { Journal } from './journal.js';

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
