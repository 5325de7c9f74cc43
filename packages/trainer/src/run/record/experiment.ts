import { configHash } from './config-hash.js';

/** Options that say how long and where a run trains and what watches it, not what it computes in a step. */
const NOT_THE_EXPERIMENT = new Set([
  'backend',
  'callbacks',
  'discover',
  'epochs',
  'fastDevRun',
  'hooks',
  'hookTimeout',
  'limitValBatches',
  'loadedFrom',
  'maxSeconds',
  'maxSteps',
  'metrics',
  'override',
  'resume',
  'root',
  'runsDir',
  'sanityBatches',
  'signals',
  'strictResume',
  'validateEvery',
]);

/**
 * The same for runs that can continue one another: the same weights, trained in the same way. Another length, other
 * hooks or another backend make no other experiment.
 */
export function experimentOf(config: object, weights: Readonly<Record<string, readonly number[]>>): string {
  const options = Object.entries(config).filter(([name]) => !NOT_THE_EXPERIMENT.has(name));
  return configHash({ ...Object.fromEntries(options), weights });
}
