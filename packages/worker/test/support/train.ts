import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { bundledProgram } from '@hookline/test-programs';
import { collectingLogger } from '@hookline/test-support';
import { type TrainInWorkerOptions, trainInWorker, type WorkerTraining } from '@hookline/worker';
import type { Settings } from './settings.js';

/** Trains the program of these tests in a thread. */
export async function train(
  settings: Settings,
  options: Omit<TrainInWorkerOptions, 'settings'> = {},
): Promise<{ training: WorkerTraining }> {
  const folder = new URL('../..', import.meta.url).pathname;
  const program = await bundledProgram(new URL('./training-program.ts', import.meta.url), folder);
  // In an object: it is a promise itself.
  const start = () => new Worker(pathToFileURL(program), { resourceLimits: { maxOldGenerationSizeMb: 200 } });
  return { training: trainInWorker(start, { settings, logger: collectingLogger(), ...options }) };
}
