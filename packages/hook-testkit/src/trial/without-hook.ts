import type { Hook } from '@hookline/hook-api';
import { type Trial, trial } from './trial.js';

const runs = new Map<string, Promise<Trial>>();

/** The same run without the tested hook. It is the same for every hook, so it is made once. */
export function withoutHook(neighbours: readonly Hook[] = []): Promise<Trial> {
  const key = neighbours.map(({ name }) => name).join();
  const run = runs.get(key) ?? trial(neighbours);
  runs.set(key, run);
  return run;
}
