import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { lockFolder, readPointer } from '../src/node.js';
import { check, nameOf } from './checkpoints.js';
import { Figures, isLong } from './figures.js';
import { SaverProcess } from './saver-process.js';

const TRIALS = isLong ? 300 : 40;
/** Several saves long. */
const LONGEST_MS = 250;

const figures = new Figures();
afterAll(() => figures.print());

it(`loses nothing when the process is killed at ${TRIALS} random moments`, async () => {
  const parent = mkdtempSync(join(tmpdir(), 'hookline-kill-'));
  let committed = 0;
  let insideCommit = 0;
  let temps: string[] = [];
  const owed = new Set<number>();
  try {
    for (let trial = 0; trial < TRIALS; trial++) {
      const saver = new SaverProcess('loop', parent, owed);
      await saver.ready();
      // The lock of the one before was taken over, and what it left is gone.
      expect(saver.removedTemps.sort()).toEqual(temps.sort());
      if (trial % 4 === 0) await expect(lockFolder(parent)).rejects.toMatchObject({ code: 'LOCKED' });
      await sleep(Math.random() * LONGEST_MS);
      await saver.kill();

      const steps = await check(parent);
      for (const step of owed) expect(steps, `step ${step} was committed`).toContain(step);
      if (saver.lastPointed > 0) {
        const last = (await readPointer(join(parent, 'last.json'))) as string;
        expect(steps.map(nameOf)).toContain(last);
        expect(Number(last.slice('step-'.length))).toBeGreaterThanOrEqual(saver.lastPointed);
      }
      committed += saver.committed;
      temps = readdirSync(parent).filter((name) => name.startsWith('.tmp-'));
      if (temps.length > 0) insideCommit++;
    }
    expect(committed).toBeGreaterThan(TRIALS);
    expect(insideCommit).toBeGreaterThan(0);
    figures.add(
      'SIGKILL at a random moment of commit, pointer and rotation',
      TRIALS,
      `${committed} folders committed; ${insideCommit} times killed half-way; 0 wrong, 0 lost, 0 locks left`,
    );
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
});
