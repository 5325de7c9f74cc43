import type { TrainingState } from '@hookline/hook-api';
import { finiteCheck } from './finite-check.js';
import { describeValues, nonFiniteAmong } from './non-finite-values.js';

/**
 * What is wrong with the weights, as part of a sentence; undefined when all are finite. Loss and gradients show nearly
 * every bad weight at the next step; this finds one that no batch has used, or that the last update broke.
 */
export async function checkWeights({
  parameters,
  backend,
  epoch,
  step,
}: TrainingState): Promise<string | undefined> {
  const check = finiteCheck(backend);
  try {
    for (const [path, weight] of Object.entries(parameters)) check.look('buffer', path, weight);
    const suspects = await check.read();
    if (suspects.length === 0) return undefined;
    const bad = await nonFiniteAmong(suspects.map(({ path }) => [path, parameters[path]!] as const));
    const named = bad.map((each) => `${each.path} (${describeValues(each)})`);
    return `weights are not finite at the end of epoch ${epoch + 1} (step ${step}): ${named.join(', ')}`;
  } finally {
    check.dispose();
  }
}
