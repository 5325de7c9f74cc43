import { defineHook, type Hook } from '@hookline/hook-api';
import type { Head } from './head.js';
import { type HeadScores, headScores } from './research/head-scores.js';
import type { Sequence } from './task.js';

/** The scores of every head, by name, after each epoch. */
export type HeadHistory = Record<string, HeadScores>[];

export interface WatchHeads extends Hook {
  readonly history: HeadHistory;
}

/**
 * Looks at the attention of every head while the model is validated, on `sequences`, and logs its scores: one can
 * see the heads grow. It only watches; the run is the same without it.
 */
export function watchHeads(heads: readonly Head[], sequences: readonly Sequence[]): WatchHeads {
  const names = new Map(heads.map(({ name, pattern }) => [pattern, name]));
  const history: HeadHistory = [];
  let scores: Record<string, HeadScores> = {};
  return defineHook({
    name: 'watch-heads',
    history,
    layers: [...names.keys()],
    onForward({ state }, { path, output }) {
      // Validation runs once per epoch, so this read from the device is rare.
      if (state.status === 'validating') {
        scores[names.get(path)!] = headScores(output.dataSync() as Float32Array, sequences);
      }
    },
    onValidationEnd(ctx) {
      for (const [name, { previous, induction }] of Object.entries(scores)) {
        ctx.log({ [`heads/${name}/previous`]: previous, [`heads/${name}/induction`]: induction });
      }
      history.push(scores);
      scores = {};
    },
  });
}
