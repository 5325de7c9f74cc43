import { openSweep } from '../src/open-sweep.js';
import { runSweep } from '../src/run-sweep.js';
import { startTrial } from '../src/trial/start-trial.js';

/** Runs a sweep in a process that the proof can kill. */
const [file, program] = process.argv.slice(2) as [string, string];
await runSweep(await openSweep(file), {
  workers: 2,
  signal: new AbortController().signal,
  start: (task, ending) => startTrial(task, ending, program),
  onEnd: ({ trial, rung }) => console.log(trial, rung),
});
