import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fateOf, openFolder, readPointer, verifyFolder } from '@hookline/safetensors/node';
import { seeded } from '@hookline/test-support';
import { describe, expect, test } from 'vitest';
import type { CheckpointInfo } from '../src/index.js';
import { lossesOf, project, trainInProcess } from './child.js';
import type { Training } from './train.js';

/**
 * Ends of one run. Each round is a run of its own, with its own comparison in the end: a long proof that is broken off
 * has proved the rounds before that.
 */
const TRIALS = process.env.HOOKLINE_LONG_PROOF ? 50 : 12;
/** Of each thread: dozens of ends by default, 1,000 in total with HOOKLINE_LONG_PROOF=1. */
const ROUNDS = Array.from({ length: process.env.HOOKLINE_LONG_PROOF ? 10 : 1 }, (_, round) => round + 1);

/** How a process ends, in turn; a closed terminal is a SIGHUP to a process whose pipes are closed. */
const ENDS = [
  { signal: 'SIGKILL', closesPipes: false },
  { signal: 'SIGHUP', closesPipes: false },
  { signal: 'SIGKILL', closesPipes: true },
  { signal: 'SIGKILL', closesPipes: false },
  { signal: 'SIGHUP', closesPipes: true },
  { signal: 'SIGKILL', closesPipes: false },
] as const;

describe.each(['another thread', 'the thread that trains'])(
  'ended at random moments, written by %s',
  (thread) => {
    test.each(ROUNDS)(
      `run %i continues ${TRIALS} times from a good checkpoint, and never loses its best`,
      async (round) => {
        const isAsync = thread === 'another thread';
        // So large that a thread writes from the second save on, each with three temporary names; or small.
        const [units, before] = isAsync ? [60_000, 9] : [4000, 0];
        const training = project({
          units,
          epochs: 1000,
          checkpoint: { every: { steps: 1 }, saveTopK: 2, async: isAsync },
        });
        const random = seeded(2 * round - (isAsync ? 1 : 0));
        const tally = { SIGKILL: 0, SIGHUP: 0, closed: 0, unfinished: 0, verified: 0 };
        let best = Infinity;
        for (let trial = 0; trial < TRIALS; trial++) {
          const { signal, closesPipes } = ENDS[trial % ENDS.length]!;
          // At once in every third trial, a little later in the others, and rarely so late that the save is done.
          const strike = {
            signal,
            seen: before + 1 + Math.floor(random() * 12),
            milliseconds: trial % 3 === 0 ? 0 : random() * 15,
            ...(closesPipes && { after: join(training.root, 'closed') }),
          };
          rmSync(join(training.root, 'closed'), { force: true });
          const ended = await trainInProcess({ ...training, strike, talks: closesPipes }, { closesPipes });
          tally[signal]++;
          if (closesPipes) tally.closed++;
          else expect(ended.errors).toBe('');
          if (signal === 'SIGKILL') expect(ended).toMatchObject({ signal });
          else expect(ended).toMatchObject({ code: 129 });
          const { dir, names } = checkpointsOf(training);
          const isUnfinished = readdirSync(dir).some((name) => name.startsWith('.tmp-'));
          if (isUnfinished) tally.unfinished++;
          // Who gets the time to end leaves nothing behind.
          if (signal === 'SIGHUP') expect(isUnfinished).toBe(false);
          expectRecords(training, trial + 1, signal);
          // What has a name is whole, to the bit.
          for (const name of names) expect(await verifyFolder(join(dir, name))).toMatchObject({ ok: true });
          tally.verified += names.length;
          // What was announced as saved is not lost: it or a newer one is there, and the best never gets worse.
          const said = ended.saved.map((path) => stepOf(basename(path)));
          expect(Math.max(...names.map(stepOf))).toBeGreaterThanOrEqual(Math.max(...said));
          const found = await bestIn(dir);
          expect(found).toBeLessThanOrEqual(best);
          best = found;
        }
        console.log(textOf(tally));
        // Otherwise this would have proved nothing about saves.
        expect(tally.unfinished).toBeGreaterThanOrEqual(TRIALS / 6);

        // The next process clears up after the killed ones, and comes to the same end as one that was left alone.
        const { dir, names } = checkpointsOf(training);
        const epochs = Math.ceil(Math.max(...names.map(stepOf)) / 3) + 1;
        const resumed = await trainInProcess({ ...training, epochs });
        const alone = project({ units, epochs, checkpoint: { every: { epochs: 1e6 } } });
        const whole = await trainInProcess(alone);
        expect(resumed.errors).toBe('');
        expect(resumed.trained!.weights).toBe(whole.trained!.weights);
        const expected = lossesOf(alone);
        for (const [step, loss] of lossesOf(training)) expect(loss).toBe(expected.get(step) ?? loss);
        expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
      },
      3_600_000,
    );
  },
);

function textOf(tally: {
  SIGKILL: number;
  SIGHUP: number;
  closed: number;
  unfinished: number;
  verified: number;
}): string {
  return (
    `${tally.SIGKILL} kills, ${tally.unfinished} of them during a save, a pointer or a removal; ` +
    `${tally.SIGHUP} SIGHUPs; ${tally.closed} of both with closed pipes; ${tally.verified} checkpoints verified`
  );
}

/** Every process has a whole record; the newest says how it ended, or can be recognised as dead. */
function expectRecords({ root }: Training, count: number, signal: 'SIGKILL' | 'SIGHUP'): void {
  const ids = readdirSync(join(root, 'runs'));
  const records = ids.map((id) => JSON.parse(readFileSync(join(root, 'runs', id, 'run.json'), 'utf8')));
  expect(records).toHaveLength(count);
  const newest = records.reduce((a, b) => (a.startedAt > b.startedAt ? a : b));
  if (signal === 'SIGHUP') {
    expect(newest).toMatchObject({ status: 'stopped', stopReason: signal, finishedAt: expect.any(String) });
  } else {
    expect(newest.status).toBe('running');
    expect(fateOf(newest.process)).toBe('dead');
  }
}

function checkpointsOf({ root }: Training): { dir: string; names: string[] } {
  const dirs = readdirSync(join(root, 'runs')).map((id) => join(root, 'runs', id, 'checkpoints'));
  // Every process has gone on in the folder of the first.
  const [dir, ...others] = dirs.filter((each) => existsSync(each));
  expect(others).toEqual([]);
  const found = readdirSync(dir!, { withFileTypes: true });
  const names = found.filter((each) => each.isDirectory() && !each.name.startsWith('.'));
  return { dir: dir!, names: names.map(({ name }) => name) };
}

async function bestIn(dir: string): Promise<number> {
  const name = await readPointer(join(dir, 'best.json'));
  if (name === undefined) return Infinity; // no epoch is complete yet
  const { rating } = (await openFolder(join(dir, String(name)))).manifest.info as CheckpointInfo;
  return rating!.value;
}

function stepOf(name: string): number {
  return Number(/step_(\d+)/.exec(name)![1]);
}
