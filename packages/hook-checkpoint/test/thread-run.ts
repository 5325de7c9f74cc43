import type { Hook } from '@hookline/hook-api';
import { earlyStopping } from '@hookline/hook-early-stopping';
import { type RunOptions, run, stopAt } from './fixture.js';

// Runs in a separate process, as one file: from sources the thread could not read TypeScript.
const [root = ''] = process.argv.slice(2);

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
const first = await run(`${root}/first`, {
  hooks: [listener],
  checkpoint: { async: true, every: { steps: 3 } },
  fit: { epochs: 2 },
});

// Steps take less time than saves.
const busy = await run(`${root}/busy`, {
  hooks: [listener],
  checkpoint: { async: true, every: { steps: 1 }, saveTopK: -1 },
  fit: { epochs: 2 },
});

const early = () => earlyStopping({ patience: 3, minDelta: 0.2, restoreBest: true });
const options = { checkpoint: { async: true, every: { steps: 2 } }, fit: { epochs: 8 } } satisfies RunOptions;
const whole = await run(`${root}/whole`, { ...options, checkpoint: false, hooks: [early()] });
const watched = await run(`${root}/watched`, { ...options, hooks: [early()] });
await run(`${root}/cut`, { ...options, hooks: [early(), stopAt(11)] });
const resumed = await run(`${root}/cut`, {
  ...options,
  hooks: [early()],
  fit: { ...options.fit, resume: 'auto' },
});

// One of the runs was stopped as by a signal, on purpose.
process.exitCode = 0;
console.log(
  JSON.stringify({
    warnings: [first, busy, watched, resumed].flatMap(({ warnings }) => warnings),
    saved,
    mostInFlight,
    inFlight,
    runDir: first.result.runDir,
    busyDir: busy.result.runDir,
    stopReasons: [whole, watched, resumed].map(({ result }) => result.stopReason),
    weights: [whole, watched, resumed].map(({ weights }) => weights),
  }),
);
