import type { HookLogger } from '@hookline/hook-api';
import { shortNumber } from '@hookline/hook-api/helpers';
import { listSome } from '../list-some.js';
import type { GradientMonitorRules } from '../options.js';
import type { Episodes, Trouble, Turn, Verdict } from './episodes.js';
import type { LayerGradient } from './layers.js';

type Limits = Pick<GradientMonitorRules, 'vanishing' | 'exploding'>;

/** Reports once that an episode begins, and once that it has ended. `before` knows when those that end began. */
export function announce(
  logger: HookLogger,
  { began, ended }: Verdict,
  before: Episodes,
  limits: Limits,
  step: number,
): void {
  for (const turn of began) {
    logger.warn({ step, trouble: turn.trouble, layers: namesOf(turn) }, beginning(turn, limits, step));
  }
  for (const turn of ended) {
    logger.info({ step, trouble: turn.trouble, layers: namesOf(turn) }, end(turn, before, step));
  }
}

function beginning({ trouble, layers }: Turn, { vanishing, exploding }: Limits, step: number): string {
  const named = layers.map((layer) => `${layer.layer} (${detail(trouble, layer)})`);
  const where = `${listSome(named, MOST_NAMED)} at step ${step}`;
  switch (trouble) {
    case 'vanishing':
      return `Gradients vanish in ${where}, below ${vanishing}. Look for activations that saturate or die, and at the initialisation.`;
    case 'exploding':
      return `Gradients explode in ${where}, above ${exploding}. Lower the learning rate, or clip the gradients.`;
    case 'nonfinite':
      return `Gradients are NaN or infinite in ${where}. Look for NaN in the data, lower the learning rate, or clip the gradients.`;
  }
}

const PAST: Record<Trouble, string> = {
  vanishing: 'no longer vanish',
  exploding: 'no longer explode',
  nonfinite: 'are finite again',
};

function end({ trouble, layers }: Turn, before: Episodes, step: number): string {
  const where = layers.map(({ layer }) => `${layer} (since step ${before[trouble].get(layer)})`);
  return `Gradients ${PAST[trouble]} in ${listSome(where, MOST_NAMED)} at step ${step}.`;
}

function detail(trouble: Trouble, { norm, nonFinite, size }: LayerGradient): string {
  return trouble === 'nonfinite' ? `${nonFinite} of ${size} values` : `norm ${shortNumber(norm!)}`;
}

/** A message names the first few; its fields name all. */
const MOST_NAMED = 8;

function namesOf({ layers }: Turn): string[] {
  return layers.map(({ layer }) => layer);
}
