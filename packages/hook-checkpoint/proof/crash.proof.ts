import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { openFolder, readPointer, verifyFolder } from '@hookline/safetensors/node';
import { describe, expect, test } from 'vitest';
import type { CheckpointInfo } from '../src/index.js';
import { lossesOf, project, trainInProcess } from './child.js';
import type { Training } from './train.js';

/** Dozens by default; hundreds with HOOKLINE_LONG_PROOF=1. */
const TRIALS = process.env.HOOKLINE_LONG_PROOF ? 300 : 24;

describe.each(['another thread', 'the thread that trains'])(
  'killed at random moments, written by %s',
  (thread) => {
    test(`a run continues ${TRIALS / 2} times from a good checkpoint, and never loses its best`, async () => {
      const isAsync = thread === 'another thread';
      const training = project({
        units: 4000,
        epochs: 1000,
        checkpoint: { every: { steps: 1 }, saveTopK: 2, async: isAsync },
      });
      const random = seeded(isAsync ? 1 : 2);
      const tally = { unfinished: 0, verified: 0 };
      let best = Infinity;
      for (let trial = 0; trial < TRIALS / 2; trial++) {
        // At once in every third trial, a little later in the others, and rarely so late that the save is done.
        const strike = {
          seen: 1 + Math.floor(random() * 12),
          milliseconds: trial % 3 === 0 ? 0 : random() * 15,
        };
        const killed = await trainInProcess({ ...training, strike });
        expect(killed, killed.errors).toMatchObject({ signal: 'SIGKILL', errors: '' });
        const { dir, names } = checkpointsOf(training);
        if (readdirSync(dir).some((name) => name.startsWith('.tmp-'))) tally.unfinished++;
        // What has a name is whole, to the bit.
        for (const name of names) expect(await verifyFolder(join(dir, name))).toMatchObject({ ok: true });
        tally.verified += names.length;
        // What was announced as saved is not lost: it or a newer one is there, and the best never gets worse.
        const said = killed.saved.map((path) => stepOf(basename(path)));
        expect(Math.max(...names.map(stepOf))).toBeGreaterThanOrEqual(Math.max(...said));
        const found = await bestIn(dir);
        expect(found).toBeLessThanOrEqual(best);
        best = found;
      }
      console.log(
        `${TRIALS / 2} kills, ${tally.unfinished} of them during a save, a pointer or a removal; ` +
          `${tally.verified} checkpoints verified`,
      );
      // Otherwise this would have proved nothing about saves.
      expect(tally.unfinished).toBeGreaterThanOrEqual(TRIALS / 8);

      // The next process clears up after the killed ones, and comes to the same end as one that was left alone.
      const { dir, names } = checkpointsOf(training);
      const epochs = Math.ceil(Math.max(...names.map(stepOf)) / 3) + 1;
      const resumed = await trainInProcess({ ...training, epochs });
      const alone = project({ units: 4000, epochs, checkpoint: { every: { epochs: 1e6 } } });
      const whole = await trainInProcess(alone);
      expect(resumed.errors).toBe('');
      expect(resumed.trained!.weights).toBe(whole.trained!.weights);
      const expected = lossesOf(alone);
      for (const [step, loss] of lossesOf(training)) expect(loss).toBe(expected.get(step) ?? loss);
      expect(readdirSync(dir).filter((name) => name.startsWith('.'))).toEqual([]);
    }, 3_600_000);
  },
);

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

function seeded(seed: number): () => number {
  let state = seed * 2654435761;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
