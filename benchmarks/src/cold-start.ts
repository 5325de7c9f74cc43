import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Benchmark } from './benchmark.js';
import { spreadOf } from './statistics.js';

/** What a fresh process reports: processor time in milliseconds. */
export interface Cold {
  first: number;
  hundredth: number;
  /** Of the first 400 and 2,000 steps, and of 2,000 after 8,000. */
  start: number;
  cold: number;
  warm: number;
}

const program = fileURLToPath(new URL('./cold-start-program.js', import.meta.url));

/** The first steps of a fresh process, while little is compiled, against those of a warm one. */
export const coldStart: Benchmark = async ({ quick }) =>
  ['tiny', 'small MLP'].map((model) => {
    const runs = Array.from({ length: quick ? 1 : 9 }, () => measured(model));
    const median = (key: keyof Cold) => spreadOf(runs.map((run) => run[key])).median;
    return {
      what: `${model}: the first 2,000 steps of a process / 2,000 after 8,000`,
      ratio: spreadOf(runs.map(({ cold, warm }) => cold / warm)),
      note:
        `${median('cold').toFixed(0)} / ${median('warm').toFixed(0)} ms of processor time; first step ${median('first').toFixed(1)} ms, ` +
        `step 100 ${median('hundredth').toFixed(2)} ms, first 400 ${(median('start') * 2.5).toFixed(0)} µs a step`,
    };
  });

function measured(model: string): Cold {
  return JSON.parse(execFileSync(process.execPath, [program, model], { encoding: 'utf8' })) as Cold;
}
