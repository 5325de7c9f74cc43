import type { Hook } from '@hookline/hook-api';
import { trainerError } from '../errors.js';

/**
 * Whether a hook runs on the main rank only, where several train together: if it says so, or if it leaves something
 * behind, of which one is enough. A hook that changes training must run on all of them, or their weights would diverge.
 */
export function isForMain(hook: Hook): boolean {
  const { name, ranks, writes = false } = hook;
  const transforms = Object.keys(TRANSFORMS).find((event) => typeof Reflect.get(hook, event) === 'function');
  if (ranks !== 'main' || transforms === undefined)
    return (ranks ?? (writes && !transforms ? 'main' : 'all')) === 'main';
  throw trainerError(
    'BAD_OPTIONS',
    `Hook "${name}" has ${transforms}, which changes training, and ranks: 'main'. With several processes their weights would diverge. Set ranks: 'all', or leave it out.`,
  );
}

const TRANSFORMS = {
  transformBatch: true,
  transformActivation: true,
  transformLoss: true,
  transformGradients: true,
} satisfies Partial<Record<keyof Hook, true>>;
