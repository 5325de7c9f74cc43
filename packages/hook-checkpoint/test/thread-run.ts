import type { Hook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import * as tf from '@tensorflow/tfjs-core';
import { type RunOptions, run, stopAt } from './fixture.js';

// Runs in a separate process, as one file: from sources the thread could not read TypeScript.
const [root = ''] = process.argv.slice(2);

/** Threads that were started so far; Node tells of each. */
let threads = 0;
process.on('worker', () => threads++);
/** Of each run in turn. */
const startedByRun: number[] = [];

const load = tf.zeros([2 ** 22]);

/** Makes checkpoints so large that a thread writes them, from the first save on. */
const heavy: Hook = {
  name: 'heavy',
  saveState: () => ({ json: null, tensors: { load } }),
  loadState: () => {},
};

const saved: { savedAt: number; toldAt: number }[] = [];
let savedAt = 0;
/** Checkpoints that are being saved. */
let inFlight = 0;
let mostInFlight = 0;
const listener: Hook = {
  name: 'listener',
  onBeforeCheckpointSave: (ctx) => {
    savedAt = ctx.state.step;
    mostInFlight = Math.max(mostInFlight, ++inFlight);
  },
  onCheckpointSave: (ctx) => {
    inFlight--;
    saved.push({ savedAt, toldAt: ctx.state.step });
  },
};
const first = await countThreads(`${root}/first`, {
  hooks: [listener],
  checkpoint: { async: true, every: { steps: 3 } },
  fit: { epochs: 2 },
});

// Steps take less time than saves.
const busy = await countThreads(`${root}/busy`, {
  hooks: [listener],
  checkpoint: { async: true, every: { steps: 1 }, saveTopK: -1 },
  fit: { epochs: 2 },
});

const early = () => earlyStopping({ patience: 3, minDelta: 0.2, restoreBest: true });
const options = { checkpoint: { async: true, every: { steps: 2 } }, fit: { epochs: 8 } } satisfies RunOptions;
const whole = await run(`${root}/whole`, { ...options, checkpoint: false, hooks: [early()] });
const watched = await countThreads(`${root}/watched`, { ...options, hooks: [early()] });
await countThreads(`${root}/cut`, { ...options, hooks: [early(), stopAt(11)] });
const resumed = await countThreads(`${root}/cut`, {
  ...options,
  hooks: [early()],
  fit: { ...options.fit, resume: 'auto' },
});

async function countThreads(folder: string, settings: RunOptions) {
  const before = threads;
  const outcome = await run(folder, { ...settings, hooks: [...(settings.hooks ?? []), heavy] });
  startedByRun.push(threads - before);
  return outcome;
}

// One of the runs was stopped as by a signal, on purpose.
process.exitCode = 0;
console.log(
  JSON.stringify({
    warnings: [first, busy, watched, resumed].flatMap(({ warnings }) => warnings),
    threads: startedByRun,
    saved,
    mostInFlight,
    inFlight,
    runDir: first.result.runDir,
    busyDir: busy.result.runDir,
    stopReasons: [whole, watched, resumed].map(({ result }) => result.stopReason),
    weights: [whole, watched, resumed].map(({ weights }) => weights),
  }),
);
