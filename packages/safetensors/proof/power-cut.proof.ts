import { afterAll, expect, it } from 'vitest';
import { readPointer } from '../src/node.js';
import { check, save } from './checkpoints.js';
import { Figures, isLong } from './figures.js';
import { MemoryDisk } from './memory-disk.js';

const SAVES = isLong ? 12 : 7;
/** Ways in which what was not flushed is kept or lost, at each moment. */
const WAYS = isLong ? 60 : 8;

const SIZE = 300;

const figures = new Figures();
afterAll(() => figures.print());

/** Cuts the power before every single change to the disk. Throws at the first state that breaks a promise. */
async function cutEverywhere(isForgetful: boolean): Promise<{ moments: number; states: number }> {
  const counts = { moments: 0, states: 0 };
  const owed = new Set<number>();
  let pointed = 0;
  const random = generator(7);

  async function inspect(disk: MemoryDisk): Promise<void> {
    counts.moments++;
    const ways = [() => false, () => true, ...Array.from({ length: WAYS }, () => () => random() < 0.5)];
    for (const keeps of ways) {
      counts.states++;
      const left = disk.afterPowerCut(keeps);
      const steps = await check('/', left);
      for (const step of owed) {
        if (!steps.includes(step)) throw new Error(`step ${step} was committed and is lost`);
      }
      const last = (await readPointer('/last.json', left)) as string | undefined;
      if (pointed > 0 && Number(last?.slice('step-'.length)) < pointed) {
        throw new Error(`last.json points to ${last} after it pointed to step-${pointed}`);
      }
      // Whatever is left, the next run goes on.
      if (counts.states % 20 === 0) await save('/', 1000, { fs: left.fs, size: SIZE });
    }
  }

  const disk = new MemoryDisk({ beforeChange: inspect, isForgetful });
  for (let step = 1; step <= SAVES; step++) {
    await save('/', step, {
      fs: disk.fs,
      size: SIZE + step,
      onCommitted: async () => void owed.add(step),
      onPointed: async () => {
        pointed = step;
      },
      onRemoving: async (old) => void owed.delete(old),
    });
  }
  return counts;
}

it('loses nothing in a power cut, whatever the disk had not flushed', async () => {
  const { moments, states } = await cutEverywhere(false);
  expect(moments).toBeGreaterThan(100);
  figures.add(
    'power cut before each change, with all that was not flushed kept, lost or mixed',
    states,
    `${moments} moments; 0 wrong, 0 lost`,
  );
});

it('would lose on a disk that only says it has flushed: the proof can fail', async () => {
  await expect(cutEverywhere(true)).rejects.toThrow(/does not verify|is lost/);
});

/** The same numbers every time, from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
