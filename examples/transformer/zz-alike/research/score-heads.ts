import { runWithCache } from '@hookline/hook-activations';
import type { Head } from '../head.js';
import type { Transformer } from '../model/transformer.js';
import { batchOf, type Sequence } from '../task.js';
import { type HeadScores, headScores } from './head-scores.js';

export interface ScoredHead extends Head, HeadScores {
  /** Its attention in the first of the sequences: from each position (row) to each (column). */
  attention: number[][];
}

/** Runs the sequences once, keeps where every head looked, and scores it. */
export function scoreHeads(
  model: Transformer,
  heads: readonly Head[],
  sequences: readonly Sequence[],
): ScoredHead[] {
  const { xs, ys } = batchOf(sequences);
  const cached = runWithCache(model, xs, '**/pattern');
  const scored = heads.map((head) => {
    const pattern = cached.cache.tensor(head.pattern);
    const numbers = pattern.dataSync() as Float32Array;
    const length = pattern.shape[1]!;
    const rows = Array.from({ length }, (_, to) => [...numbers.subarray(to * length, (to + 1) * length)]);
    return { ...head, ...headScores(numbers, sequences), attention: rows };
  });
  cached.dispose();
  xs.dispose();
  ys.dispose();
  return scored;
}
