import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hook } from '@hookline/hook-api';
import { jsonLog } from '@hookline/hook-logging';
import { report } from '@hookline/hook-report';
import { samples, tinyRun } from '@hookline/test-runs';
import { folderPerTest, useBackend } from '@hookline/test-support';
import type { Loader } from '@hookline/trainer';
import { expect, test } from 'vitest';
import { type Profile, profiler } from '../src/index.js';
import { burn } from '../test/profiled-run.js';

const folder = folderPerTest();
useBackend('cpu');

/** A clock that is not the trainer's. */
function stopwatch(): () => number {
  const start = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - start) / 1e9;
}

/** Adds up what a piece of work takes, by that clock. */
class Meter {
  seconds = 0;
  async around<Result>(work: () => Promise<Result>): Promise<Result> {
    const read = stopwatch();
    const result = await work();
    this.seconds += read();
    return result;
  }
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A fit of about a second and a half: its loader sleeps, a hook burns, another one saves for long when it is over. */
async function measured() {
  const [fit, loader, hook, ending] = [new Meter(), new Meter(), new Meter(), new Meter()];
  const busy: Hook = {
    name: 'busy',
    onTrainBatchReady: () => hook.around(async () => burn(8)),
    teardown: () => ending.around(async () => void (await sleep(60))),
  };
  const { trainer } = tinyRun([busy, jsonLog({ every: 1 }), report({ print: false }), profiler()], {
    runsDir: folder.path,
  });
  const train: Loader = {
    name: 'train',
    batches: 40,
    owned: true,
    // Read ahead, it would sleep while the hook burns, and nobody would wait for it.
    prefetch: 0,
    async *epoch() {
      const { xs, ys } = samples(4);
      for (let batch = 0; batch < 40; batch++) {
        await loader.around(() => sleep(20));
        yield { xs: xs.clone(), ys: ys.clone() };
      }
    },
  };
  const { runDir } = await fit.around(() => trainer.fit({ train, validation: samples(8), epochs: 1 }));
  const profile = JSON.parse(readFileSync(join(runDir, 'profile.json'), 'utf8')) as Profile;
  const phase = (name: string) => profile.phases.find((each) => each.name === name)?.seconds ?? 0;
  const hookSeconds = (name: string, event: string) =>
    profile.hooks.find((each) => each.name === name)?.events[event] ?? 0;
  const sum = profile.phases.reduce((total, { seconds }) => total + seconds, 0);
  return {
    whole: sum / fit.seconds,
    loader: phase('data') / loader.seconds,
    hook: hookSeconds('busy', 'onTrainBatchReady') / hook.seconds,
    ending: hookSeconds('busy', 'teardown') / ending.seconds,
    other: phase('other') / sum,
  };
}

test('phases add up to what a stopwatch outside of the trainer says, within 2 %, and so do loader and hooks', async () => {
  await measured(); // modules are loaded and compiled in this one
  const fits: Awaited<ReturnType<typeof measured>>[] = [];
  for (let round = 0; round < 5; round++) fits.push(await measured());
  // The middle of five: on a busy machine one may be interrupted between the two clocks.
  const middle = (name: keyof (typeof fits)[number]) =>
    fits.map((each) => each[name]).sort((a, b) => a - b)[2]!;
  for (const name of ['whole', 'hook', 'ending'] as const) {
    expect(middle(name), name).toBeGreaterThan(0.98);
    expect(middle(name), name).toBeLessThan(1.02);
  }
  // The phase also holds what the loader does not time itself: making the batch, and freeing it.
  expect(middle('loader')).toBeGreaterThan(0.98);
  expect(middle('loader')).toBeLessThan(1.1);
  expect(middle('other')).toBeLessThan(0.02);
});
