import { errorOf, folderPerTest } from '@hookline/test-support';
import { expect, test } from 'vitest';
import { Journal } from '../../src/journal/journal.js';
import { type Owner, thisOwner } from '../../src/journal/owner.js';
import { claimJob, takeJob } from '../../src/journal/take-job.js';
import { uniform } from '../../src/space.js';
import { sweepOf } from '../../src/sweep-config.js';

const folder = folderPerTest();
const journal = () => new Journal(folder.in('sweep'));
const sweep = sweepOf({ space: { x: uniform(0, 1) }, search: 'random', trials: 2, halving: false }, 3);
const here = thisOwner();

test('a job that a queue has taken is claimed once: then its process has it', async () => {
  const taken = await takeJob(sweep, journal(), 'queue');
  expect(await claimJob(sweep, journal(), 0)).toEqual(taken);
  expect(journal().trials()[0]).toMatchObject({ running: 0, by: here });
  const error = await errorOf(() => claimJob(sweep, journal(), 0));
  expect(error.code).toBe('TRIAL_TAKEN');
  expect(error.message).toContain(`Process ${process.pid} of this machine is training trial 0.`);
});

test('a trial that a running sweep of this machine trains is refused, and stays its own', async () => {
  await takeJob(sweep, journal(), here);
  expect((await errorOf(() => claimJob(sweep, journal(), 0))).code).toBe('TRIAL_TAKEN');
  expect(journal().trials()[0]).toMatchObject({ running: 0, by: here });
});

test.each<[string, Owner]>([
  ['that was interrupted', { ...here, pid: 2 ** 22 + 1 }],
  ['of another machine, which cannot be asked', { ...here, machine: 'elsewhere' }],
])('a trial %s can be run by its number', async (_what, owner) => {
  const taken = await takeJob(sweep, journal(), owner);
  expect(await claimJob(sweep, journal(), 0)).toEqual(taken);
  expect(journal().trials()[0]).toMatchObject({ running: 0, by: here });
});

test('a trial that nobody has taken, and one that is done, are not run', async () => {
  await takeJob(sweep, journal(), 'queue');
  const outcome = { value: 1, epochs: 3, steps: 9, seconds: 1, finished: true };
  await journal().update(() => ({ entries: [{ event: 'end', trial: 0, rung: 0, ...outcome }], result: 0 }));
  for (const trial of [0, 1]) {
    const error = await errorOf(() => claimJob(sweep, journal(), trial));
    expect(error.message).toContain(`Trial ${trial} was not taken.`);
  }
});
