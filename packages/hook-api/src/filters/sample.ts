import type { HookContext } from '../context.js';
import { type AnyHandler, filterError, gated } from './gated.js';

/** Calls the method for a share of the batches, the same ones in every run with the same seed. */
export function sample<Handler extends AnyHandler>(rate: number, handler: Handler): Handler {
  if (!(rate >= 0 && rate <= 1)) throw filterError('sample', 'a rate from 0 to 1', rate);
  const due = ({ hook, run, state }: HookContext) =>
    hash(`${run.seed} ${hook} ${state.step} ${state.batchIndex}`) < rate;
  return gated('sample', handler, { due });
}

/** FNV-1a with a final mix, as a number from 0 to 1. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 2 ** 32;
}
