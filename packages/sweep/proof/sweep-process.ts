import { openSweep } from '../src/open-sweep.js';
import { runSweep } from '../src/run-sweep.js';

/** Runs a sweep in a process that the proof can kill. */
const [file, program] = process.argv.slice(2) as [string, string];
const open = await openSweep(file);
const signal = new AbortController().signal;
await runSweep(open, { workers: 2, signal, program, onEnd: ({ trial, rung }) => console.log(trial, rung) });
